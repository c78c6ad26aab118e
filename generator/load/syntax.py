"""What a YAML reader reports, in plain words and at the line that has to change."""

import re
import unicodedata
from typing import Any, NamedTuple

import yaml

_SECOND_COLON = "mapping values are not allowed in this context"
_NO_KEY = "did not find expected key"
_NO_COLON = "could not find expected ':'"
_NO_ITEM = "did not find expected '-' indicator"
_HINTS = {
    _SECOND_COLON: 'a second ":" in the line: quote the text or indent it',
    _NO_KEY: "the indentation does not fit the lines above",
    "found character that cannot start any token": "this character cannot begin plain text: quote the text",
    "did not find expected <document start>": "the line is indented less than the first one",
    "did not find expected ',' or ']'": 'a "[" that is not closed, or a missing comma',
    "did not find expected ',' or '}'": 'a "{" that is not closed, a missing comma, or braces to quote',
    "did not find expected node content": 'a value is missing, or a "[" or "{" is not closed',
    "found unexpected end of stream": "a quote that is not closed",
    "found unknown escape character": "a backslash begins an escape: write the text in single quotes",
    "found invalid Unicode character escape code": "half a character: write the character itself",
    "did not find expected alphabetic or numeric character": "text that begins with * or & needs quotes",
    "block sequence entries are not allowed in this context": 'a list item ("- ") begins a line of its own',
    "found unexpected ':'": 'a ":" with nothing behind it: give a value',
}
_NOT_CLOSED = {"did not find expected ',' or ']'": "[", "did not find expected ',' or '}'": "{"}
_KEY = re.compile(r"[ -]*+[^\s:#]+")
_KEY_OR_ITEM = re.compile(r"[ -]*+[^\s:#]+:| *- ")
_OPENER = re.compile(r"[ -]*[^\W\d][\w.-]*(?:\s|\s*(?:=|->|=>|:=))\s*[{\[]")
_GLUED_OPENER = re.compile(r"[ -]*[^\W\d][\w.-]*:[{\[\"']")
_BARE = re.compile(r"((?:- )?[^\W\d][\w.-]*)\s*(?:(?:=|->|=>|:=)\s*|\s)(\S.*)")
_DASHED = re.compile(r" *-([^\W\d]\w*):")
_CONFLICT = re.compile(r"(<{7}|={7}|>{7})(\s|$)")
_ODD_BLANK = re.compile(r"[^\S \t]")
_BREAK = re.compile("[\n\x85\u2028\u2029]")
_MOST_SHOWN = 40
_GLUED = re.compile(r"[ -]*(([^\W\d][^\s:]*):((?!//)\S.*))")


class Mark(NamedTuple):
    """A place in a text, both from 0, as PyYAML counts."""

    line: int
    column: int


def split_lines(content: str) -> list[str]:
    """Return the lines of a text as PyYAML counts them."""
    return _BREAK.split(content)


def explain_syntax(error: yaml.MarkedYAMLError, content: str) -> tuple[str, Any]:
    """Return what is wrong and where. The cause may be in a line above the one in which reading stopped."""
    said, mark = str(error.problem or error.context), error.problem_mark
    lines = split_lines(content)
    if conflicts := [at for at, line in enumerate(lines) if _CONFLICT.match(line)]:
        message = "this line marks a conflict of git: choose one of the two sides, and remove the marks"
        return message, Mark(conflicts[0], 0)
    if said in _NOT_CLOSED and _is_outside(error.context_mark, mark, lines):
        return f'this "{_NOT_CLOSED[said]}" is not closed in its line', error.context_mark
    if said == _NO_COLON and error.context_mark is not None:
        return _explain_bare(error.context_mark.line, lines[error.context_mark.line])
    if mark is not None and mark.line < len(lines):
        line, above = lines[mark.line], [one for one in enumerate(lines[: mark.line]) if _is_content(one[1])]
        if found := _explain_line(said, mark, line, above, error.context_mark):
            return found
    return f"{_HINTS[said]} ({said})" if said in _HINTS else f"not YAML: {said}", mark


def _explain_line(
    said: str, mark: Any, line: str, above: list[tuple[int, str]], begin: Any
) -> tuple[str, Any] | None:
    if said == _SECOND_COLON and (_OPENER.match(line) or _GLUED_OPENER.match(line)):
        return _explain_bare(mark.line, line)
    if said == _SECOND_COLON and _KEY.fullmatch(line[: mark.column]):
        return _explain_key(mark.line, line, above)
    if said == _NO_ITEM and begin is not None:
        message = f"what belongs to the list item above is indented by {begin.column + len('- ')} blanks"
        return f'{message}, and another item begins with "- " as that does', mark
    return _explain_end(mark, line, above) if said == _NO_KEY else None


def explain_key_with_brace(key: str, line: str) -> str | None:
    """Explain a key that holds an opening brace, which its value closes: the colon is missing before it."""
    is_one = "}" not in key and (_OPENER.match(key) or _GLUED_OPENER.match(key))
    return _explain_bare(0, line)[0] if is_one else None


def _explain_bare(number: int, line: str) -> tuple[str, Mark]:
    """Explain a line that lacks the colon behind its key, or the blank behind the colon."""
    text, place = line.strip(), Mark(number, _count_indent(line))
    if odd := _explain_odd_blank(number, text):
        return odd
    if glued := _explain_glued([(number, line)]):
        return glued
    shown = f"{text[:_MOST_SHOWN]}…" if len(text) > _MOST_SHOWN else text
    found = _BARE.fullmatch(text)
    advice = f": write {found[1]}: {found[2][:_MOST_SHOWN]}" if found and found[2] else ""
    return f'"{shown}" is a key without ":"{advice}{"…" * (len(text) > _MOST_SHOWN) if advice else ""}', place


def _explain_odd_blank(number: int, line: str) -> tuple[str, Mark] | None:
    found = _ODD_BLANK.search(line)
    if found is None:
        return None
    name = f"U+{ord(found[0]):04X} ({unicodedata.name(found[0], '').lower()})"
    return f"the line has the character {name}, as copied texts have: use spaces", Mark(number, 0)


def _is_outside(opened: Any, mark: Any, lines: list[str]) -> bool:
    """Whether reading stopped behind the end, or at a key of a later line that is not indented more."""
    if opened is None or mark is None or opened.line >= mark.line:
        return False
    if not any(map(_is_content, lines[mark.line :])):
        return True
    line = lines[mark.line]
    found = _KEY_OR_ITEM.match(line)
    is_before = found is not None and mark.column <= found.end()
    return is_before and _count_indent(line) <= _count_indent(lines[opened.line])


def _explain_key(number: int, line: str, above: list[tuple[int, str]]) -> tuple[str, Mark] | None:
    """Explain a key for which YAML has no place; None where it is part of a text of several lines."""
    if glued := _explain_glued(above):
        return glued
    if above and (dashed := _DASHED.match(above[-1][1])):
        message = f'write a blank behind the dash, "- {dashed[1]}"'
        return message, Mark(above[-1][0], _count_indent(above[-1][1]))
    if _is_inside_text(line, [text for _, text in above]):
        return None
    if above and _lacks_colon(above[-1][1].strip()):
        return _explain_bare(*above[-1])
    message = "the line is indented more than the one above it, which has a value"
    return message, Mark(number, _count_indent(line))


def _lacks_colon(text: str) -> bool:
    return ":" not in text and (not text.startswith("-") or _BARE.fullmatch(text) is not None)


def _explain_end(mark: Any, line: str, above: list[tuple[int, str]]) -> tuple[str, Any] | None:
    """Explain why a key should follow: the line above is not one, or a value ended before its line."""
    start, closer = line[: mark.column].rstrip(), line[mark.column : mark.column + 1]
    if not start:
        return _explain_glued(above) or _explain_indent(mark, line, above)
    if closer in ("}", "]"):
        return f'this "{closer}" closes nothing: remove it, or quote the text that has it', mark
    if start.endswith("'") and closer.isalnum():
        return f"the text ends at this quote: write it in double quotes ({_NO_KEY})", mark
    if start.endswith(("}", "]", '"', "'")):
        return f"the value ends before this: quote all of it ({_NO_KEY})", mark
    return None


def _explain_indent(mark: Any, line: str, above: list[tuple[int, str]]) -> tuple[str, Any] | None:
    """Explain an indentation that no line around has, or below a line that has a value."""
    if line.startswith("- ", mark.column):
        return 'a list item ("- ") where a key belongs', mark
    if above and (odd := _explain_odd_blank(*above[-1])):
        return odd
    open_indents: list[int] = []
    for _number, text in reversed(above):
        if not open_indents or _count_indent(text) < open_indents[0]:
            open_indents.insert(0, _count_indent(text))
    if not open_indents or mark.column in open_indents:
        return None
    if mark.column > open_indents[-1]:
        return "the line is indented more than the one above it, which has a value", mark
    shown = " or ".join(map(str, open_indents))
    return f"the line is indented by {mark.column}, but those above by {shown}", mark


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
