"""Limits on the size of a filter, checked before any of it costs something."""

import re
from typing import Final

from runtime.errors import FilterSyntax
from runtime.filter.position import syntax_error

MAX_BYTES: Final = 16 * 1024
MAX_NESTING: Final = 32
MAX_PARTS: Final = 150  # conditions, groups and negations together: what is read in 5 ms
MAX_ITEMS: Final = 1000  # of all lists together
MAX_MARKS: Final = 200  # of fields:[…]

_QUOTED = re.compile(r'"[^"]*+(?>(?:""[^"]*+)*)"?')
_LIST = re.compile(r"\^\s*\[([^\]]*)\]?")
_PART = re.compile(r"&&|\|\||!!|[({]")
_EVERY = re.compile(r":\s*every\s*\{")
_STEP = re.compile(r'"[^"]*+(?>(?:""[^"]*+)*)"?|!!|:\s*every\s*\{|[(){}]|[^\s"!(){}:]+|[!:]')


def check_limits(text: str) -> None:
    """Size, characters, number of parts and depth, before any of it costs something."""
    if not text or text.isspace():
        raise syntax_error(text, 0, "the filter is empty: write field:value", ["field:value"])
    if not text.isascii():
        _check_encoding(text)
    if len(text) > MAX_BYTES:
        raise _too_long(text)
    if len(_PART.findall(text)) + 2 * len(_EVERY.findall(text)) > MAX_NESTING:
        _check_parts(text)
    if text.count(",") + text.count("[") > MAX_ITEMS:
        _check_items(text)


def count_parts(text: str) -> int:
    """Count conditions, groups and negations by the signs between them; twenty values of lists are as one."""
    outside = _QUOTED.sub("", text)
    return 1 + len(_PART.findall(outside)) + outside.count(",") // 20


def _too_long(text: str) -> FilterSyntax:
    return syntax_error(text, MAX_BYTES, f"a filter has at most {MAX_BYTES} bytes")


def _check_encoding(text: str) -> None:
    try:
        if len(text) <= MAX_BYTES < len(text.encode()):
            raise _too_long(text)
    except UnicodeEncodeError as error:
        raise syntax_error(text, error.start, "this is half a character (a lone surrogate)") from None


def _check_items(text: str) -> None:
    left = MAX_ITEMS
    for found in _LIST.finditer(_QUOTED.sub(lambda quoted: "q" * len(quoted[0]), text)):
        left -= found[1].count(",") + bool(found[1].strip())
        if left < 0:
            message = f"the lists of a filter have at most {MAX_ITEMS} values together"
            raise syntax_error(text, found.start(1), message)


def _check_parts(text: str) -> None:
    parts = len(_PART.findall(_QUOTED.sub("", text)))
    if parts > MAX_PARTS:
        raise syntax_error(text, 0, f"a filter has at most {MAX_PARTS} conditions, groups and negations")
    depths, negations = [0], 0
    for step in _STEP.finditer(text):
        sign = step[0]
        if sign == "!!":
            negations += 1
        elif sign[0] == ":" and sign[-1] == "{":
            depths.append(depths[-1] + negations + 3)  # as many operators: no element that does not meet it
            negations = 0
        elif sign in "({":
            depths.append(depths[-1] + negations + 1)
            negations = 0
        elif sign in ")}":
            depths = depths[:-1] or [0]
            negations = 0
        else:
            negations = 0
        if depths[-1] + negations > MAX_NESTING:
            raise syntax_error(text, step.start(), f"a filter is nested at most {MAX_NESTING} deep")
