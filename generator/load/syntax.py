"""What a YAML reader reports, in plain words and at the line that has to change."""

import re
from typing import Any, NamedTuple

import yaml

_SECOND_COLON = "mapping values are not allowed in this context"
_NO_KEY = "did not find expected key"
_HINTS = {
    _SECOND_COLON: 'a second ":" in the line: quote the text or indent it',
    _NO_KEY: "the indentation does not fit the lines above",
    "found character that cannot start any token": "this character cannot begin plain text: quote the text",
    "could not find expected ':'": 'a key without ":" before this line',
    "did not find expected ',' or ']'": 'a "[" that is not closed, or a missing comma',
    "did not find expected ',' or '}'": 'a "{" that is not closed, a missing comma, or braces to quote',
    "did not find expected node content": 'a value is missing, or a "[" or "{" is not closed',
    "found unexpected end of stream": "a quote that is not closed",
    "found unknown escape character": "a backslash begins an escape: write the text in single quotes",
    "found invalid Unicode character escape code": "half a character: write the character itself",
    "did not find expected alphabetic or numeric character": "text that begins with * or & needs quotes",
    "found unexpected ':'": 'a ":" with nothing behind it: give a value',
}
_KEY = re.compile(r"[ -]*[^\s:#]+")
_GLUED = re.compile(r"[ -]*(([^\s:]+):((?!//)\S.*))")


class Mark(NamedTuple):
    """A place in a text, both from 0, as PyYAML counts."""

    line: int
    column: int


def explain_syntax(error: yaml.MarkedYAMLError, content: str) -> tuple[str, Any]:
    """Return what is wrong and where. The cause may be in a line above the one in which reading stopped."""
    said, mark = str(error.problem or error.context), error.problem_mark
    lines = content.split("\n")
    if mark is not None and mark.line < len(lines) and said in (_SECOND_COLON, _NO_KEY):
        start = lines[mark.line][: mark.column]
        if found := _explain_line_above(said, start, lines[: mark.line]):
            return found
        if said == _SECOND_COLON and _KEY.fullmatch(start):
            message = "the line is indented more than the one above it, which has a value"
            return message, Mark(mark.line, _count_indent(start))
        if said == _NO_KEY and start.rstrip().endswith(("}", "]", '"', "'")):
            return f"the value ends before this: quote all of it ({said})", mark
    return f"{_HINTS[said]} ({said})" if said in _HINTS else f"not YAML: {said}", mark


def _explain_line_above(said: str, start: str, lines: list[str]) -> tuple[str, Mark] | None:
    """Explain a key that is not one, whose line YAML joins with the next; None where that has another key."""
    number = next((one for one in reversed(range(len(lines))) if _is_content(lines[one])), None)
    if number is None or not (_KEY.fullmatch(start) if said == _SECOND_COLON else not start.strip()):
        return None
    above, mark = lines[number], Mark(number, _count_indent(lines[number]))
    if glued := _GLUED.fullmatch(above):
        return f'"{glued[1]}" is one word: write a blank behind the colon, {glued[2]}: {glued[3]}', mark
    if said == _SECOND_COLON and ":" not in above and not above.lstrip().startswith("-"):
        return f'"{above.strip()}" is a key without ":"', mark
    return None


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())
