"""Decimals by their bits, in place of the driver's way through the context of decimal arithmetic. Pure.

Both ways are exact, and what is not handled here (infinities, NaN, exponents, more than 34 digits) goes the
driver's way, which is the plain twin. IEEE 754 decimal128: sign, 14 bits of exponent, 113 of digits.
"""

import re
import struct
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from bson import Decimal128

_BIAS: Final = 6176
_MOST_DIGITS: Final = 34
_UPPER_DIGITS: Final = (1 << 49) - 1
_LOWER_DIGITS: Final = (1 << 64) - 1
_WORDS: Final = struct.Struct("<QQ")
_LONGEST: Final = _MOST_DIGITS + len("-.")
_PLAIN = re.compile(r"([+-]?)([0-9]{1,34})(?:\.([0-9]{0,33}))?")


def format_decimal(value: Decimal128) -> str:
    """Format as ``format(value.to_decimal(), "f")`` does."""
    text = _format_words(*value.__getstate__())
    return f"{value.to_decimal():f}" if text is None else text


def format_bid(bid: bytes) -> str:
    """Format 16 bytes as ``format_decimal(Decimal128.from_bid(bid))`` does."""
    low, high = _WORDS.unpack(bid)
    text = _format_words(high, low)
    return f"{Decimal128.from_bid(bid).to_decimal():f}" if text is None else text


def _format_words(high: int, low: int) -> str | None:
    """Format what is a number without an exponent; None for any other."""
    exponent = (high >> 49 & 0x3FFF) - _BIAS
    if high >> 61 & 3 == 3 or not -_MOST_DIGITS < exponent <= 0:
        return None
    digits = str((high & _UPPER_DIGITS) << 64 | low).zfill(1 - exponent)
    sign = "-" if high >> 63 else ""
    return f"{sign}{digits[:exponent]}.{digits[exponent:]}" if exponent else sign + digits


def format_decimals(values: Sequence[Decimal128]) -> list[str | None]:
    """Format many as ``format_decimal`` does.

    None for one with more than 64 bits of digits or an exponent.
    """
    words = [value.__getstate__() for value in values]
    forms = {high: _form(high) for high in {high for high, _low in words}}
    return [form[0] % divmod(digits, form[1]) if (form := forms[high]) else None for high, digits in words]


def _form(high: int) -> tuple[str, int] | None:
    """Return how digits are written below these upper 64 bits.

    That is a pattern for the two sides of the point, and the power of ten that separates them.
    """
    exponent = (high >> 49 & 0x3FFF) - _BIAS
    if high & _UPPER_DIGITS or high >> 61 & 3 == 3 or not -_MOST_DIGITS < exponent <= 0:
        return None
    sign = "-" if high >> 63 else ""
    behind = f".%0{-exponent}d" if exponent else "%.0s"  # which writes nothing
    return f"{sign}%d{behind}", 10**-exponent


def is_one_number(one: Any, other: Any) -> bool | None:
    """Whether both are the same decimal, by their bits.

    None where the bits do not decide: one is not a decimal, or their exponents differ.
    """
    if type(one) is not Decimal128 or type(other) is not Decimal128:
        return None
    words, others = one.__getstate__(), other.__getstate__()
    if words == others:
        return True
    high = words[0]
    return False if high >> 49 == others[0] >> 49 and high >> 61 & 3 != 3 else None  # infinities and NaN


def is_plain(value: Decimal128) -> bool:
    """Whether it is made again bit by bit from its text."""
    high = value.__getstate__()[0]
    return -_MOST_DIGITS < (high >> 49 & 0x3FFF) - _BIAS <= 0 and high >> 61 & 3 != 3


def has_no_minus(value: Decimal128) -> bool:
    """Whether it is a number, and written without a minus sign."""
    high = value.__getstate__()[0]
    return not high >> 63 and high >> 61 & 3 != 3


def as_decimal(value: Decimal128) -> Decimal:
    """Return ``value.to_decimal()``."""
    text = _format_words(*value.__getstate__())
    return value.to_decimal() if text is None else Decimal(text)


def decimal128(value: str | Decimal) -> Decimal128:
    """Return ``Decimal128(value)``. Raises what that raises: ``DecimalException``, ``ValueError``."""
    text = value if isinstance(value, str) else str(value)
    found = _from_text(text) if len(text) <= _LONGEST else None
    return Decimal128(value) if found is None else found


@lru_cache(maxsize=4096)
def _from_text(text: str) -> Decimal128 | None:
    """Read plain digits. Cached: what is sent is read first and checked then, and amounts recur."""
    found = _PLAIN.fullmatch(text)
    if found is None:
        return None
    sign, whole, fraction = found.groups("")
    if len(whole) + len(fraction) > _MOST_DIGITS:
        return None
    digits = int(whole + fraction)
    high = digits >> 64 | (_BIAS - len(fraction)) << 49 | (1 << 63 if sign == "-" else 0)
    words: Any = (high, digits & _LOWER_DIGITS)  # documented, but not in the driver's annotations
    return Decimal128(words)
