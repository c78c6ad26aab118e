"""Where one field decides which records have an edge with a record, unless others follow. Pure.

What follows from other edges ends with one of a few around the record, stated themselves. If none of these is
there, the records with such an edge are those whose field states it: a page of them is one by the field.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, TypeVar

from runtime.filter import Predicate, differs, refers_to
from runtime.model.record_type import Reference
from runtime.ontology.rules import Around, Rules

T = TypeVar("T")


class ByField(NamedTuple):
    """The field, by its key in the store, that states edges around a record, and by which ``predicate``.

    ``roots``: edges around that record, of which there is one if any that is asked for follows from others.
    """

    key: str
    predicate: str
    roots: Collection[Around]

    def match(self, record_id: str) -> Predicate:
        """Match the records that state an edge with a record."""
        return refers_to([self.key], [record_id]) & differs(activeStatus="ARCHIVED")

    def list_roots(self, record_id: str) -> list[Around]:
        """List the edges around a record from which others may follow."""
        return [one._replace(node=record_id) for one in self.roots]


def find_field(references: Collection[Reference], rules: Rules, around: Around) -> ByField | None:
    """Find which of all reference fields states edges around any record; None where none or several do.

    None also where edges that it states are a step to others of these.
    """
    same = _close([around], lambda one: _list_turned(rules, one))
    joined = _close(
        (last for one in same for last in _list_last(rules, one)),
        lambda one: (*_list_turned(rules, one), *_list_last(rules, one)),
    )
    reaching = [one for one in same if not one.is_leaving]
    stating = [(ref.key, one) for one in reaching for ref in references if ref.predicate == one.predicate]
    if len(stating) != 1 or stating[0][1] in joined:
        return None
    ((key, stated),) = stating
    named = {one.predicate for one in references}
    roots = [one for one in (same | joined) - {stated} if one.predicate in named]
    return ByField(key, stated.predicate, roots)


def _list_turned(rules: Rules, around: Around) -> Iterator[Around]:
    """Yield which edges around a record are, by rules of one edge, such edges."""
    return (given for given, _reason in rules.list_turned_to(around))


def _list_last(rules: Rules, around: Around) -> Iterator[Around]:
    """Yield which edges around a record are the last step of ways that are joined to such edges."""
    if around.predicate in rules.transitive:
        yield around
    for steps, _reason in rules.list_chains_to(around):
        yield around._replace(predicate=steps[0])


def _close(begin: Iterable[T], further: Callable[[T], Iterable[T]]) -> set[T]:
    """Return some things, what each leads to, and so on."""
    met = set(begin)
    waiting = list(met)
    while waiting:
        new = set(further(waiting.pop())) - met
        met |= new
        waiting += new
    return met
