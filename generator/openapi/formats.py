"""What the ``format`` of a string means: a pattern, so that it is checked, and an example.

The patterns mean the same in Rust (which checks bodies), in ECMAScript (which clients use) and in
Python: no look-around, no back-references.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from generator.patterns import matches

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_CLOCK = r"T(?:[0-9]+(?:\.[0-9]+)?[HMS])+"

FORMAT_PATTERNS: Mapping[str, str] = {
    "duration": f"^P(?:(?:[0-9]+[YMWD])+(?:{_CLOCK})?|{_CLOCK})$",
    "email": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "hostname": rf"^{_LABEL}(?:\.{_LABEL})*$",
    "ipv4": rf"^(?:{_OCTET}\.){{3}}{_OCTET}$",
    "ipv6": "^[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$",
    "time": r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-][0-2][0-9]:[0-5][0-9])$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$",
    "uuid": "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
}
"""The pattern of a string that says its ``format`` and no ``pattern`` of its own."""

_EXAMPLES: Mapping[str, str] = {
    "duration": "P1DT12H",
    "email": "ada@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "08:30:00Z",
    "uri": "https://example.com/a",
    "uuid": "65f1c0de-0000-4000-8000-000000000001",
}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = "1234567890123456789012345678901234567890"


def example_text(constraints: Mapping[str, object]) -> str | None:
    """Choose a text that meets the constraints from a table of likely ones; None when none does.

    The first that fits is taken, so the answer is the same on every machine. Where it is None the
    document goes without an example until the author gives one.
    """
    pattern = str(constraints.get("pattern") or FORMAT_PATTERNS.get(str(constraints.get("format")), ""))
    least = int(str(constraints.get("minLength", 0)))
    most = int(str(constraints.get("maxLength", 1_000_000)))
    return _find_text(pattern, constraints.get("format"), least, most)


@cache
def _find_text(pattern: str, format_name: object, least: int, most: int) -> str | None:
    for text in _list_candidates(format_name, least):
        if least <= len(text) <= most and matches(pattern, text):
            return text
    return None


def _list_candidates(format_name: object, least: int) -> Iterator[str]:
    if format_name in _EXAMPLES:
        yield _EXAMPLES[str(format_name)]
    yield from ("text", "A-1", "A1", "a1", "a_1", "+4930123456", "https://example.com/a", "1.0.0", "#336699")
    for length in range(1, 41):
        yield (_LETTERS * 2)[:length]
        yield _DIGITS[:length]
        yield (_LETTERS * 2)[:length].lower()
    for letters in range(1, 5):
        for digits in range(1, 9):
            for joint in ("", "-", " ", "/"):
                yield f"{_LETTERS[:letters]}{joint}{_DIGITS[:digits]}"
                yield f"{_DIGITS[:digits]}{joint}{_LETTERS[:letters]}"
    yield "text " * (least // 5 + 1)
