"""The inside of large tokens: a value, a list of values, the entries of ``fields:[…]``."""

import re
from dataclasses import dataclass

from runtime.filter.limits import MAX_MARKS
from runtime.filter.position import FilterRefused
from runtime.filter.quoted import read_marked_path, read_path, split_head, split_list
from runtime.filter.syntax import FieldMark
from runtime.filter.syntax_literals import Literal, Number, OtherField, ReferenceId, Text, Variable
from runtime.model.attribute_names import is_marked
from runtime.model.scalars import MARKED_ID


@dataclass(frozen=True, slots=True)
class FieldMarks:
    """``fields:[+a,-b]`` as a directive."""

    marks: tuple[FieldMark, ...]
    at: int


_PARTS = re.compile(r'"[^"]*+(?>(?:""[^"]*+)*)"|[^"]++')


def read_literal(text: str, at: int) -> Literal:
    """Read the literal of a VALUE token that starts at the offset ``at``. Raises ``FilterRefused``."""
    case = text[-3:] if text[-3:] in ("~ci", "~cs") else ""
    bare = text[:-3] if case else text
    first = bare[0]
    if '"' in bare and first != "$":
        said, wild = _read_mixed(bare)
        return Text(said, True, case == "~ci", at, bool(case), wild)
    if first in "#$" or bare[:2] == "@@":
        found = _read_marked(bare, first, at)
        if found is not None:
            if case:
                raise FilterRefused(f"{case} goes with text, not with {bare[:40]}", at + len(bare), "text")
            return found
    return Text(bare, False, case == "~ci", at, bool(case))


def _read_mixed(token: str) -> tuple[str, frozenset[int]]:
    """Join the text of quoted and bare parts; return it and the offsets of its wildcards."""
    text, wild = "", set[int]()
    for part in _PARTS.findall(token):
        if part[0] == '"':
            text += part[1:-1].replace('""', '"')
        else:
            wild |= {len(text) + at for at, sign in enumerate(part) if sign in "*?"}
            text += part
    return text, frozenset(wild)


def _read_marked(bare: str, first: str, at: int) -> Literal | None:
    if first == "#":
        return Number(bare, at)
    if first == "$":
        if not bare.startswith("${"):
            return OtherField(_path(bare[1:], at), at)
        if bare == "${}":
            raise FilterRefused("a variable has a name: ${ownerId}", at, "${name}")
        return Variable(bare[2:-1], at)
    reference = MARKED_ID.fullmatch(bare)
    return ReferenceId(reference[1].lower(), at) if reference else None


def read_head(token: str, at: int) -> tuple[str, str]:
    """Read the path and the operator of a HEAD token. Raises ``FilterRefused``."""
    if '"' not in token and not is_marked(token):
        name, _, operator = token.partition(":")
        return name.rstrip(), operator.strip()
    spelled, operator = split_head(token)
    return _path(spelled, at), operator


def _path(spelled: str, at: int) -> str:
    try:
        return read_path(spelled)
    except ValueError as error:
        raise FilterRefused(str(error), at, 'name."key":value') from None


def read_block(token: str, at: int) -> tuple[str, tuple[str, ...]]:
    """Read the path of a BLOCK token, and the lists that it marks. Raises ``FilterRefused``."""
    try:
        return read_marked_path(token[:-1].rstrip())
    except ValueError as error:
        raise FilterRefused(str(error), at, "path{…}") from None


def read_predicate(name: Literal) -> str:
    """Read the predicate of an edge. Raises ``FilterRefused``."""
    if not isinstance(name, Text):
        raise FilterRefused("the first argument is the name of a predicate", name.at, "a name")
    if name.is_pattern or name.has_case:
        raise FilterRefused("the name of a predicate takes neither wildcards nor ~ci", name.at, "a name")
    return name.text


def read_items(token: str, value: re.Pattern[str], start: int) -> tuple[Literal, ...]:
    """Read the values of a LIST token; ``value`` is the pattern of one. Raises ``FilterRefused``."""
    last, at = len(token) - 1, 1
    items: list[Literal] = []
    while True:
        at = _skip_blanks(token, at)
        if at == last and not items:
            return ()
        found = value.match(token, at)
        if found is None:
            message = "a list holds values between commas: [a,b]; quote values with punctuation"
            raise FilterRefused(message, start + at, "a value")
        items.append(read_literal(found[0], start + at))
        at = _skip_blanks(token, found.end())
        if at == last:
            return tuple(items)
        if token[at] != ",":
            raise FilterRefused("values of a list have commas between them: [a,b]", start + at, ",", "]")
        at += 1


def _skip_blanks(text: str, at: int) -> int:
    while text[at].isspace():
        at += 1
    return at


_MARK = re.compile(r'\s*([+-]?)((?:[^\s,"]|"[^"]*+(?>(?:""[^"]*+)*)")+)\s*')


def read_marks(token: str, start: int) -> FieldMarks:
    """Read the entries of a FIELDS token; ``_id`` is another name of ``id``. Raises ``FilterRefused``."""
    at = token.index("[") + 1
    marks = []
    entries = list(split_list(token[at:-1]))
    if len(entries) > MAX_MARKS:
        raise FilterRefused(f"fields:[…] takes at most {MAX_MARKS} fields", start)
    for entry in entries:
        mark = _MARK.fullmatch(entry)
        if mark is None:
            raise FilterRefused("fields are written fields:[+name,-other]", start + at, "+name", "-name")
        place = start + at + mark.start(1)
        try:
            path, lists = read_marked_path(mark[2])
        except ValueError as error:
            raise FilterRefused(str(error), place) from None
        marks.append(FieldMark("id" if path == "_id" else path, mark[1] != "-", place, lists))
        at += len(entry) + 1
    return FieldMarks(tuple(marks), start)
