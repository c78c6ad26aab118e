"""Whether the arguments of a tool can be compared where its filter names them: sample values are tried there.

What fits no value of an argument would be refused, or match nothing, with every call of the tool.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from generator.model import Kind, Type
from runtime.filter import is_relative
from runtime.filter.syntax_literals import Text
from runtime.model.attribute_names import quote_text

Check = Callable[[str], str | None]
"""Filter → what is wrong with it, or None."""

_ID: Final = "65f0c0ffee00c0ffee00c0de"
_TEXTS: Final = ('"words"', f'"{_ID}"', '"2026-03-27"', '"2026-03-27T04:12:14.118Z"')
_SAMPLES: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.STRING: _TEXTS,
    Kind.TEXT: _TEXTS,
    Kind.INTEGER: ("##5",),
    Kind.NUMBER: ("##5",),
    Kind.DECIMAL: ("##5",),
    Kind.BOOLEAN: ("true",),
    Kind.DATE: ('"2026-03-27"',),
    Kind.DATETIME: ('"2026-03-27T04:12:14.118Z"',),
    Kind.OBJECT_ID: (f'"{_ID}"',),
    Kind.REFERENCE: (f"@@{_ID}",),
}
"""Values of arguments as ``runtime/gateway/binding.py`` writes them."""

_OF_REFERENCES: Final = (
    "the value of a reference is an id, which fits references and objectId fields: make the argument a string"
)

_NAMED: Final = re.compile(r'"(?:[^"]|"")*"|(\^\s*)?\$\{([^}]*)\}')
_BARE: Final = re.compile(r"(?:@@)?[\w.+-]+")


def find_misfit(text: str, name: str, kind: Type, words: Iterable[str], check: Check) -> str | None:
    """Return why the argument ``name`` does not fit where a filter names it, or None.

    ``words``: those of enumerated fields, which the argument may be compared with if it is a string.
    """
    in_lists = {bool(found[1]) for found in _NAMED.finditer(text) if found[2] == name}
    is_list = kind.kind is Kind.LIST
    if is_list and False in in_lists:
        return f"${{{name}}} is a list: write field:^${{{name}}}"
    if not is_list and True in in_lists:
        return f"${{{name}}} is a single value: write field:${{{name}}}, or make the argument a list"
    for value in kind.element.values:
        wrongs = [check(_put(text, name, sample)) for sample in _list_word_samples(value)]
        if None not in wrongs:
            return f'${{{name}}} may be "{value}": {wrongs[0]}'
    samples = [] if kind.element.values else _list_samples(kind.element, words)
    wrongs = [check(_put(text, name, sample)) for sample in samples]
    if None in wrongs or not wrongs:
        return None
    why = f"no value of ${{{name}}} fits: {wrongs[0]}"
    return f"{why}; {_OF_REFERENCES}" if kind.element.kind is Kind.REFERENCE else why


def _list_samples(kind: Type, words: Iterable[str]) -> list[str]:
    """List values of a type as they are written in a filter, those that fit most fields first."""
    quoted = map(quote_text, words) if kind.kind in (Kind.STRING, Kind.TEXT) else ()
    return [*_SAMPLES.get(kind.kind, ()), *quoted]


def _list_word_samples(word: str) -> list[str]:
    """List what a word of the specification is tried as: one that is relative to now also as a date."""
    written = word if _BARE.fullmatch(word) and word != "null" else quote_text(word)
    return [written, "2026-03-27"] if is_relative(Text(word)) else [written]


def _put(text: str, name: str, sample: str) -> str:
    """Put a value where a filter names an argument."""

    def write(found: re.Match[str]) -> str:
        if found[2] != name:
            return found[0]
        return f"^[{sample}]" if found[1] else sample

    return _NAMED.sub(write, text)
