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
_NOT_CLOSED = {"did not find expected ',' or ']'": "[", "did not find expected ',' or '}'": "{"}
_KEY = re.compile(r"[ -]*[^\s:#]+")
_GLUED = re.compile(r"[ -]*(([^\W\d][^\s:]*):((?!//)\S.*))")


class Mark(NamedTuple):
    """A place in a text, both from 0, as PyYAML counts."""

    line: int
    column: int


def explain_syntax(error: yaml.MarkedYAMLError, content: str) -> tuple[str, Any]:
    """Return what is wrong and where. The cause may be in a line above the one in which reading stopped."""
    said, mark = str(error.problem or error.context), error.problem_mark
    lines = content.split("\n")
    if said in _NOT_CLOSED and _is_key_outside(error.context_mark, mark, lines):
        return f'this "{_NOT_CLOSED[said]}" is not closed in its line', error.context_mark
    if mark is not None and mark.line < len(lines):
        line, above = lines[mark.line], [one for one in enumerate(lines[: mark.line]) if _is_content(one[1])]
        if said == _SECOND_COLON and _KEY.fullmatch(line[: mark.column]):
            found = _explain_key(mark.line, line, above)
        else:
            found = _explain_end(mark, line, above) if said == _NO_KEY else None
        if found:
            return found
    return f"{_HINTS[said]} ({said})" if said in _HINTS else f"not YAML: {said}", mark


def _is_key_outside(opened: Any, mark: Any, lines: list[str]) -> bool:
    """Whether reading stopped at a key of a later line that is not indented more than the opening one."""
    if opened is None or mark is None or not opened.line < mark.line < len(lines):
        return False
    line = lines[mark.line]
    is_key = line[mark.column : mark.column + 1] == ":" and _KEY.fullmatch(line[: mark.column])
    return bool(is_key) and _count_indent(line) <= _count_indent(lines[opened.line])


def _explain_key(number: int, line: str, above: list[tuple[int, str]]) -> tuple[str, Mark] | None:
    """Explain a key for which YAML has no place; None where it is part of a text of several lines."""
    if glued := _explain_glued(above):
        return glued
    if _is_inside_text(line, [text for _, text in above]):
        return None
    if above and ":" not in above[-1][1] and not above[-1][1].lstrip().startswith("-"):
        message = f'"{above[-1][1].strip()}" is a key without ":"'
        return message, Mark(above[-1][0], _count_indent(above[-1][1]))
    message = "the line is indented more than the one above it, which has a value"
    return message, Mark(number, _count_indent(line))


def _explain_end(mark: Any, line: str, above: list[tuple[int, str]]) -> tuple[str, Any] | None:
    """Explain why a key should follow: the line above is not one, or a value ended before its line."""
    start, closer = line[: mark.column].rstrip(), line[mark.column : mark.column + 1]
    if not start:
        return _explain_glued(above)
    if closer in ("}", "]"):
        return f'this "{closer}" closes nothing: remove it, or quote the text that has it', mark
    if start.endswith(("}", "]", '"', "'")):
        return f"the value ends before this: quote all of it ({_NO_KEY})", mark
    return None


def _explain_glued(above: list[tuple[int, str]]) -> tuple[str, Mark] | None:
    """Explain a key and its value that are one word, which YAML joins with the line after it."""
    if not above or not (glued := _GLUED.fullmatch(above[-1][1])):
        return None
    message = f'"{glued[1]}" is one word: write a blank behind the colon, {glued[2]}: {glued[3]}'
    return message, Mark(above[-1][0], _count_indent(above[-1][1]))


def _is_inside_text(line: str, above: list[str]) -> bool:
    """Whether a line continues a text of several: the one above does, and is not indented less."""
    if len(above) < 2 or ":" in above[-1] or above[-2].rstrip().endswith(":"):
        return False
    indent = _count_indent(above[-1])
    return _count_indent(above[-2]) < indent >= _count_indent(line)


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())
