"""Plain scalars, read as one would guess: JSON's numbers, true, false, null; the rest is text.

YAML 1.1 reads ``no``, ``0123``, ``12:30`` and ``0x1f`` as something else than text; readers differ. Such a
value is refused with the advice to quote it. Dates stay text and are checked against the field's type.
"""

import math
import re
from decimal import Context, Decimal

_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_SWITCH = re.compile(r"yes|no|on|off", re.IGNORECASE)
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_READ_DIFFERENTLY = re.compile(
    r"[-+]?(?:0[0-9_]+|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?"
    r"|[0-9][0-9_]*_[0-9_]*|\.[0-9]+|[0-9]+\.|\.inf|\.Inf|\.INF)|\+[0-9]+(?:\.[0-9]+)?|\.nan|\.NaN|\.NAN"
)

_QUIET = Context(traps=[])
"""Reads what no decimal can hold, such as an exponent of twenty digits, as NaN."""


class Ambiguous(ValueError):
    """A plain value that YAML readers understand differently; the text says how to write it."""


def plain_value(text: str) -> str | int | float | bool | None:
    """Return the value of a scalar without quotes. Raises ``Ambiguous``."""
    if text in _WORDS:
        return _WORDS[text]
    if text.isalpha() and len(text) > 3:
        return text
    first = text[0]
    if first in "yYnNoO" and _SWITCH.fullmatch(text):
        meant = "true" if text.lower() in ("yes", "on") else "false"
        raise Ambiguous(f'{text} without quotes means true or false to YAML: write "{text}" or {meant}')
    if first.isdigit() or first in "-+.":
        return _parse_number(text)
    return text


def _parse_number(text: str) -> str | int | float:
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        number = float(text)
        if math.isinf(number) or re.fullmatch(r"-?\d+", text):
            raise Ambiguous(f'{text} does not fit in 64 bits: quote it ("{text}") if it is text')
        if Decimal(repr(number)) != Decimal(text, _QUIET):
            raise Ambiguous(
                f"{text} has more digits than a number of 64 bits, which would be {number!r}: write that, or "
                f'quote it ("{text}") if it is the value of a decimal, or text'
            )
        return number
    if _READ_DIFFERENTLY.fullmatch(text):
        raise Ambiguous(f'YAML readers understand {text} differently: write "{text}" if it is text')
    return text
