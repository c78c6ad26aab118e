"""What is derived from withheld fields is withheld with them. Pure.

A display name, a calculated field and the names that are copied into references have known sources. A caller
from whom a rule takes a source would read it in what is made of it, so that goes as well, on the record type
itself and on every type that refers to it. What is derived is found once for each record type; what of it is
withheld once for each caller, record type and action, with the permission of the guard.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from runtime.model.catalog import Catalog
from runtime.model.paths import overlap_any, placeholders
from runtime.model.record_type import RecordType

Taken: TypeAlias = Callable[[RecordType[Any]], frozenset[str] | None]
"""The fields of a record type that rules take away from a reader; None for a type it may not view."""

_Sources: TypeAlias = tuple[str, ...] | None
"""The paths that a field is made of; None: it may be made of every field of the record."""

_UNSEEN: Final = frozenset({"refName", "displayName"})
"""What references would tell of a record type that the caller may not view."""


def withheld_fields(
    kind: RecordType[Any], own: frozenset[str], catalog: Catalog, taken: Taken
) -> frozenset[str]:
    """Return ``own``, the fields of a record type that rules take away, with all that is derived from them.

    ``taken``: what the same caller is denied of the types that this one refers to, however far.
    """
    others = _find_reachable(kind, catalog)
    found = {other: _UNSEEN if (fields := taken(other)) is None else fields for other in others}
    if not own and not any(found.values()):
        return own
    found[kind] = own | found.get(kind, frozenset())
    while (wider := {one: fields.union(_list_derived(one, found)) for one, fields in found.items()}) != found:
        found = wider
    return found[kind]


@lru_cache(maxsize=1024)
def sources(kind: RecordType[Any]) -> Mapping[str, _Sources]:
    """Return what each derived field of a record type is made of, references left out."""
    found: dict[str, _Sources] = {} if kind.display is None else {"displayName": placeholders(kind.display)}
    for name, made_by in kind.calculated.items():
        found[name] = placeholders(made_by) or None  # an expression of the application sees everything
    if kind.lenient:
        found |= {"invalid": None, "violations": None}
    return found


def _list_derived(kind: RecordType[Any], found: Mapping[RecordType[Any], frozenset[str]]) -> Iterable[str]:
    """Yield what lies one step behind the fields that are ``found`` so far."""
    fields = found[kind]
    for name, made_of in sources(kind).items():
        if fields if made_of is None else any(overlap_any(path, fields) for path in made_of):
            yield name
    by_name = {one.name: taken for one, taken in found.items()}
    for reference in kind.references:
        taken = by_name[reference.target.rpartition(".")[2]]
        yield from (path for path, name in reference.copies.items() if name in taken)


@lru_cache(maxsize=1024)
def _find_reachable(kind: RecordType[Any], catalog: Catalog) -> tuple[RecordType[Any], ...]:
    """Return the types that a record type refers to, and those that they refer to in turn."""
    found: dict[RecordType[Any], None] = {}
    waiting = [kind]
    while waiting:
        for reference in waiting.pop().references:
            target = catalog[reference.target]
            if target not in found:
                found[target] = None
                waiting.append(target)
    return tuple(found)
