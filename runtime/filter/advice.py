"""What to tell somebody whose filter cannot be read: what was expected, and how to write it right."""

import re
from collections.abc import Iterable

_WORDS = {
    "HEAD": "field:value",
    "EVERY": "every{…}",
    "VALUE": "a value",
    "LIST": "a list [a,b]",
    "FIELDS": "fields:[…]",
    "EXPAND": "expand(…)",
    "TEXT": 'text("…")',
    "EDGE": "hasEdge(…)",
    "BLOCK": "path{…}",
    "LPAR": "(",
    "RPAR": ")",
    "LBRACE": "{",
    "RBRACE": "}",
    "COMMA": ",",
    "TILDE": "~",
    "$END": "the end",
    "_OR": "||",
    "_AND": "&&",
    "__ANON_0": "!!",
}
_DIRECTIVES = {"FIELDS", "EXPAND"}
_OPENED_BY = {"RPAR": "(", "RBRACE": "{", "COMMA": "("}
_CLOSED_BY = {"(": ")", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSED_BY.items()}

_QUOTE_IT = 'put a value with punctuation in double quotes: name:"a:b"'
_JOIN_OR_QUOTE = f"join two conditions with && or ||, or {_QUOTE_IT}"
_QUOTE_PART = 'put punctuation in double quotes, and wildcards outside of them: name:*"(a:b)"*'
_EMPTY_MATCH = re.compile(r'([^\s:,(){}&|!"]+)(?:\s*(:)\s*(every)?)?\s*\{\s*$')
_EMPTY_GROUP = re.compile(r"(?:^|[(&|!])\s*\(\s*$")
_LIKE_EVERY = re.compile(r'([^\s:,(){}&|!"]+)\s*:\s*(all|each|any|some|none|Every|EVERY)\s*$')
_SPLIT_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ \t]+)([0-9]{1,2})$")
_NO_ID = re.compile(r"(has(?:Outgoing|Incoming)?Edge)\s*\(\s*([^\s,()]*)\s*,?\s*$")
_NO_WORDS = re.compile(r"(?:^|[\s(&|!])text\s*\(\s*$")
_EXPAND = re.compile(r"expand\s*\(")
_OPEN_FIELDS = re.compile(r"(?:^|[\s&|(])fields\s*:\s*$")
_IS_VALUE = re.compile(r"[*?]\s*$")
_POSITION = re.compile(r"\[(?:[0-9]+|\*)?\]")
_JOINTS = ("&&", "||")
_NEAR = 200  # characters: a pattern that may begin anywhere takes the square of what it looks through
_BY_CHARACTER = {
    "=": "equality is field:value, the rest field:!value, field:>=value and field:<=value",
    "&": "join conditions with &&",
    "|": "join conditions with ||",
    "!": "negate a value with field:!value and a condition with !!(…)",
    "$": "a variable is written ${name}, another field $name",
    "#": "a number is written #10 or ##19.99",
    "*": "wildcards belong to a value: name:Jo*",
    "?": "wildcards belong to a value: name:J?n",
    "~": "field:~ asks whether a field is there; ~ci and ~cs follow a text without a blank",
    "[": "a list is written field:^[a,b]",
    "]": "a list is written field:^[a,b]",
    "{": "an element match is written field:{name:value}",
    ")": "there is no ( for this )",
    "}": "there is no { for this }",
    "<": "an ordering is written field:<value",
    ">": "an ordering is written field:>value",
    "^": "a list is written field:^[a,b] or field:^${name}",
    ",": _JOIN_OR_QUOTE,
    "\\": _QUOTE_IT,
    ":": _JOIN_OR_QUOTE,
}


def expected_words(terminals: Iterable[str], before: str, *, directives: bool) -> list[str]:
    """Return the tokens of the grammar as a reader knows them, in a stable order.

    Closing brackets only where ``before`` has left one open; directives only in queries.
    """
    names = {name for name in terminals if name != "BLANKS"}
    if not directives:
        names -= _DIRECTIVES
    for name, opening in _OPENED_BY.items():
        if not _is_open(opening, before):
            names.discard(name)
    return sorted(_WORDS.get(name, name) for name in names)


def advice(text: str, at: int, expected: list[str], *, directives: bool) -> tuple[int, str]:
    """Return where to point and what to say, for the offset at which reading stopped.

    ``directives``: the text is a query, which may have some.
    """
    if directives and (directive := _about_directive(text, at, expected)):
        return at, directive
    if text[at : at + 1] in ("", ")") and (missing := _about_arguments(text, at)):
        return at, ("unexpected ): " if text[at:] else "the filter ends too early: ") + missing
    return _advise_at(text, at, expected)


def _advise_at(text: str, at: int, expected: list[str]) -> tuple[int, str]:
    if at == len(text):
        return at, f"the filter ends too early: {_one_of(expected)} is missing"
    if text[at] == '"':
        return at, _about_quote(text, at, expected)
    if text[at] in "{}()[" and (found := _about_bracket(text, at, expected)):
        return found
    if text[at] == ":" and (moment := _find_before(_SPLIT_MOMENT, text, at)):
        return moment.start(2), f"a T joins date and time, and a zone follows: {moment[1]}T{moment[3]}:00Z"
    if "field:value" in expected:
        return _about_condition(text, at)
    if text[at] in _BY_CHARACTER:
        return at, f"unexpected {text[at]}: {_BY_CHARACTER[text[at]]}"
    if not text[at].isprintable():
        return at, "a control character cannot be part of a filter, except in double quotes"
    return at, f"unexpected {_word(text, at) or text[at]}: {_one_of(expected)} belongs here"


def _about_directive(text: str, at: int, expected: list[str]) -> str | None:
    if _EXPAND.match(text, at) and "field:value" in expected:
        return "expand(…) takes the path of a reference, as in expand(customer)"
    if text[at : at + 1] == "[" and _find_before(_OPEN_FIELDS, text, at):
        return "fields:[…] is not closed: write fields:[+name,-other]"
    return None


def _find_before(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """Find what stands right in front of an offset."""
    return pattern.search(text, max(0, at - _NEAR), at)


def _about_arguments(text: str, at: int) -> str | None:
    """Say what a call takes whose arguments end too early."""
    if edge := _find_before(_NO_ID, text, at):
        return f"{edge[1]} takes a predicate and an id, as in {edge[1]}({edge[2] or 'predicate'}, <id>)"
    if _find_before(_NO_WORDS, text, at):
        return 'text takes words, as in text("red shoes")'
    return None


def _about_bracket(text: str, at: int, expected: list[str]) -> tuple[int, str] | None:
    if text[at] in "{}":
        return _about_elements(text, at)
    if text[at] == "[":
        is_open = text[:at].endswith("^") and "]" not in text[at:]
        return (len(text), "the list is not closed: ] is missing") if is_open else None
    if text[at] == ")" and _EMPTY_GROUP.search(text, max(0, at - _NEAR), at):
        return at, "a group needs a condition: (name:value)"
    if _find_before(_IS_VALUE, text, at):
        return at, f"unexpected {text[at]}: {_QUOTE_PART}"
    if text[at] == "(" and "a value" in expected:
        return at, f"unexpected (: one of several values is a list, field:^[a,b]; {_QUOTE_IT}"
    return None


def _about_elements(text: str, at: int) -> tuple[int, str] | None:
    if text[at] == "}" and (opened := _find_before(_EMPTY_MATCH, text, at)):
        what = "an element match" if opened[2] else "a relation block"
        return at, f"{what} needs a condition: {opened[1]}{opened[2] or ''}{opened[3] or ''}{{name:value}}"
    if text[at] == "{" and (opened := _find_before(_LIKE_EVERY, text, at)):
        any_of, every = f"any element: {opened[1]}:{{…}}", f"every element: {opened[1]}:every{{…}}"
        return opened.start(2), f"{any_of}, {every}, none: !!{opened[1]}:{{…}}"
    return None


def _about_condition(text: str, at: int) -> tuple[int, str]:
    word = _word(text, at)
    after = at + len(word)
    if not word and text[at] == ":":
        return at, "a field name comes before the colon: field:value"
    if text.startswith(_JOINTS, at):
        return at, f"a condition comes before {text[at : at + 2]}: field:value"
    while word and text[after : after + 1].isspace():
        after += 1
    if word and (position := _POSITION.match(text, after)):
        return after, f"leave out {position[0]}: a condition on a list is about any of its elements"
    if not text.startswith(_JOINTS, after) and _is_misplaced(text, after, before=text[:at] if word else ""):
        return after, f"unexpected {text[after]}: {_BY_CHARACTER[text[after]]}"
    if not word:
        return at, f"unexpected {text[at] if text[at].isprintable() else 'character'}: write field:value"
    if word.casefold() == "not":
        return at, "a condition is negated with !!, as in !!field:value or !!(…)"
    return (
        at,
        f"{word} is not a condition: follow the field name with a colon and a value, as in {word}:value",
    )


def _is_misplaced(text: str, at: int, before: str) -> bool:
    """Return whether the character there belongs elsewhere, unless it closes what ``before`` has opened."""
    return text[at : at + 1] in _NO_SEPARATOR and not _closes(text[at], before)


def _closes(bracket: str, before: str) -> bool:
    """Return whether ``before`` has left open what a bracket closes."""
    opening = _OPENING.get(bracket)
    return opening is not None and _is_open(opening, before)


def _is_open(opening: str, before: str) -> bool:
    return before.count(opening) > before.count(_CLOSED_BY[opening])


def _about_quote(text: str, at: int, expected: list[str]) -> str:
    if text.count('"', at) % 2:
        return 'the double quote is not closed; inside quotes "" stands for one quote'
    if "field:value" in expected:
        return 'a field name is not quoted: field:"value"'
    return f'unexpected ": {_one_of(expected)} belongs here; inside quotes "" stands for one quote'


def _one_of(expected: list[str]) -> str:
    return " or ".join(expected) or "nothing"


def _word(text: str, at: int) -> str:
    """Return the bare characters from here on, at most 40 of them."""
    end = at
    while end < min(len(text), at + 40) and text[end].isprintable() and text[end] not in _ENDS:
        end += 1
    return text[at:end]


_NO_SEPARATOR = frozenset(_BY_CHARACTER) - {",", ":"}
_ENDS = frozenset(' :,()[]{}"&|!$#~<>^=\\*?')
