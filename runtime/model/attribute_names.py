"""Stored names of dynamic attributes, since a dot would split a path and a leading ``$`` start an operator.

Unicode reserves noncharacters for use inside of programs. One is stored in place of each dot, another in
place of a leading ``$``; names that have one themselves are refused, so the mapping is one to one.
Paths inside the service have the stored names too, and are split at their dots like all others.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

_DOT: Final = "\ufdd0"
_DOLLAR: Final = "\ufdd1"

MEMBER: Final = "dynamicAttributes"

Document = dict[str, Any]


def stored_name(name: str) -> str:
    """Return the name of a set or an attribute as it is stored. Raises ``ValueError``."""
    if is_marked(name):
        raise ValueError("has U+FDD0 or U+FDD1, which are reserved")
    return (_DOLLAR + name[1:] if name.startswith("$") else name).replace(".", _DOT)


def sent_name(name: str) -> str:
    """Return the name as it was sent."""
    return name.replace(_DOT, ".").replace(_DOLLAR, "$")


def is_marked(text: str) -> bool:
    """Whether a stored name, or a path, differs from what was sent."""
    return _DOT in text or _DOLLAR in text


def may_be_marked(path: str) -> bool:
    """Whether only names of sets and attributes in a path have a dot or a leading ``$``."""
    steps = path.split(".")
    return not any(is_marked(step) for at, step in enumerate(steps) if steps[0] != MEMBER or at not in (1, 2))


def show_path(path: str) -> str:
    """Return a path as a caller writes it: with quotes around names that have a dot or a leading ``$``."""
    if not is_marked(path):
        return path
    return ".".join(quote_text(sent_name(step)) if is_marked(step) else step for step in path.split("."))


def quote_text(text: str) -> str:
    """Return a text in quotes, as in a filter or for one step of a path."""
    return '"' + text.replace('"', '""') + '"'


def as_sent(document: Document) -> Document:
    """Return a record with the names of its attributes as they were sent; the same one where none differs."""
    sets = document.get(MEMBER)
    if not isinstance(sets, dict) or not any(map(is_marked, _names(sets))):
        return document
    return document | {MEMBER: sets_as_sent(sets)}


def sets_as_sent(sets: Any, levels: int = 2) -> Any:
    """Return sets of attributes with their names as they were sent; of one ``levels``, a single set."""
    return _rename(sets, levels, sent_name)


def sets_as_stored(sets: Any, levels: int) -> Any:
    """Return the same with the names as they are stored. Raises ``ValueError``."""
    return _rename(sets, levels, stored_name)


def _rename(value: Any, levels: int, rename: Callable[[str], str]) -> Any:
    if not levels or not isinstance(value, dict):
        return value
    return {rename(name): _rename(inner, levels - 1, rename) for name, inner in value.items()}


def _names(sets: Document) -> Iterator[str]:
    for name, members in sets.items():
        yield name
        yield from members if isinstance(members, dict) else ()
