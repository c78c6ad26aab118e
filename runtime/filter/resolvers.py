"""Who answers the conditions of a filter that the record alone does not decide."""

from dataclasses import dataclass
from typing import Final, Protocol

from runtime.filter.predicate import Predicate
from runtime.filter.relations import RelationResolver
from runtime.filter.searches import SearchResolver
from runtime.filter.syntax import EdgeKind

NO_EDGES: Final = (
    "{} looks at other records; filters that are decided on one record take no edges: compare a field instead"
)


class EdgeResolver(Protocol):
    """Which records have an edge: asked while compiling, answers with what matches them.

    It cannot wait. A caller that must ask the store compiles twice: once with a resolver that writes down the
    questions, then with one that knows the answers.
    """

    def __call__(self, kind: EdgeKind, predicate: str, record_id: str, /) -> Predicate: ...


@dataclass(frozen=True, slots=True)
class Resolvers:
    """Who answers what a match cannot ask; what nobody answers is refused."""

    edges: EdgeResolver | None = None
    relations: RelationResolver | None = None
    searches: SearchResolver | None = None
