"""Examples of strings, by their ``format`` and the other words about them."""

from collections.abc import Iterator, Mapping
from functools import cache

from generator.patterns import matches
from runtime.model.formats import FORMAT_EXAMPLES, FORMAT_PATTERNS

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
    if format_name in FORMAT_EXAMPLES:
        yield FORMAT_EXAMPLES[str(format_name)]
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
