"""A checked MongoDB match. Only this package creates one, so user text is never a match by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bson import ObjectId
from bson.errors import InvalidId

from runtime.model.problems import no_record


@dataclass(frozen=True, slots=True)
class Predicate:
    """A checked match.

    ``match`` is a MongoDB match document; it is never built from text outside this package. ``test`` is what
    ``admits`` compiled it to.
    """

    match: Mapping[str, Any] = field(default_factory=dict)
    test: Callable[[Any], bool] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def has_search(self) -> bool:
        """Whether it has a query of the text index, which only an outermost ``&&`` can hold."""
        return _has_search(self.match)

    @property
    def record_ids(self) -> Sequence[ObjectId]:
        """The ids that it was made of by ``by_id`` or ``by_ids``; none for any other match."""
        found = self.match.get("_id") if len(self.match) == 1 else None
        if type(found) is ObjectId:
            return (found,)
        ids = found["$in"] if isinstance(found, dict) and found.keys() == {"$in"} else ()
        return ids if all(type(one) is ObjectId for one in ids) else ()

    def __and__(self, other: Predicate) -> Predicate:
        """Match both. An empty match is neutral."""
        if not self.match or not other.match:
            return self if self.match else other
        return Predicate({"$and": [self.match, other.match]})


def _has_search(match: Mapping[str, Any]) -> bool:
    return "$text" in match or any(_has_search(one) for one in match.get("$and", ()))


EVERYTHING = Predicate()
NOTHING = Predicate({"_id": {"$in": []}})


def any_of(predicates: Sequence[Predicate]) -> Predicate:
    """Match at least one of them; without any, nothing."""
    if len(predicates) < 2:
        return predicates[0] if predicates else NOTHING
    return Predicate({"$or": [predicate.match for predicate in predicates]})


def none_of(predicates: Sequence[Predicate]) -> Predicate:
    """Match none of them; without any, everything. The exact complement of ``any_of``."""
    return Predicate({"$nor": [predicate.match for predicate in predicates]}) if predicates else EVERYTHING


def by_id(id_text: str, type_name: str = "record") -> Predicate:
    """Match the record with this id. Raises ``NotFound`` for a malformed one, as for an unknown one."""
    try:
        if len(id_text) == 24:
            return Predicate({"_id": ObjectId(id_text)})
    except InvalidId:
        pass
    raise no_record(type_name, id_text[:40])


def by_ids(ids: Sequence[str] | Sequence[ObjectId]) -> Predicate:
    """Match the records with these ids: well-formed strings, or ids as they are stored."""
    return Predicate({"_id": {"$in": stored_ids(ids)}})


def by_id_range(after: ObjectId | None, last: ObjectId | None) -> Predicate:
    """Match the records with ids after one and up to another; None is no bound."""
    bounds = {operator: one for operator, one in (("$gt", after), ("$lte", last)) if one is not None}
    return Predicate({"_id": bounds}) if bounds else EVERYTHING


def stored_ids(ids: Iterable[str | ObjectId]) -> list[ObjectId]:
    """Return ids as they are stored, from well-formed strings or ids as they are stored."""
    return [one if type(one) is ObjectId else ObjectId(one) for one in ids]


def refers_to(keys: Sequence[str], id_texts: Sequence[str]) -> Predicate:
    """Match the records that point to one of these well-formed ids by one of these keys."""
    ids = [ObjectId(text) for text in id_texts]
    return any_of([Predicate({key: {"$in": ids}}) for key in keys])


def differs(**values: str | int | bool) -> Predicate:
    """Match records whose top-level fields differ from these values; a missing field does."""
    return Predicate({name: {"$ne": value} for name, value in equals(**values).match.items()})


def equals(**values: str | int | bool) -> Predicate:
    """Match records by top-level scalars, named as on the wire: ``equals(refName="LHR")``."""
    for name, value in values.items():
        if not isinstance(value, str | int | bool):
            raise TypeError(f"{name}: only scalars can be compared, not {type(value).__name__}")
    return Predicate(dict(values))


def lacks(name: str) -> Predicate:
    """Match records whose field is missing or null; an index that begins with the field finds them."""
    return Predicate({name: None})


def unchanged(name: str, value: Any) -> Predicate:
    """Match records whose field still has the value that was read, of any type; None: that still lack it."""
    if value is None:
        return lacks(name)
    return equals(**{name: value}) if isinstance(value, str | int) else Predicate({name: {"$eq": value}})


def in_tenant(tenant_id: str) -> Predicate:
    """Match the records of a tenant."""
    return equals(**{"dataDomain.tenantId": tenant_id})


def has_any(names: Iterable[str]) -> Predicate:
    """Match records that have at least one of these top-level members."""
    return any_of([Predicate({name: {"$exists": True}}) for name in names])


def one_of(name: str, values: Sequence[str]) -> Predicate:
    """Match records whose top-level field is one of these strings."""
    return Predicate({name: {"$in": [str(value) for value in values]}})
