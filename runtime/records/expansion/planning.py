"""From paths of ``expand`` to what is embedded: every name is checked, and every permission, before any read.

Several paths are one tree: ``order.customer`` embeds the order as well, and shares it with ``order`` and
``order.lines[*].product``. Each record type in it is read under the caller's own ``Access`` to that type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from runtime.access.guard import remember
from runtime.call import Call
from runtime.errors import InvalidParameter, TooWide
from runtime.filter import Projection, parse_paths, project_marks
from runtime.filter.position import place
from runtime.filter.syntax import Expansion, Filter
from runtime.model.counting import count_things
from runtime.model.paths import is_within
from runtime.model.record_type import RecordType, Reference
from runtime.records.expansion.hops import find_hops
from runtime.records.relations import check_callers_filter
from runtime.records.viewing import allow_target
from runtime.storage.access import Access

MOST_PATHS: Final = 20
"""Paths of one request: each costs a query."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Records that take the place of references.

    ``references`` are fields of the records around it. ``access`` is the caller's own permission to view the
    type they refer to: its scope, rules and hidden fields hold as if the records were read on their own.
    ``where`` and ``projection`` narrow what is embedded, ``inner`` goes on from the embedded records.
    """

    references: tuple[Reference, ...]
    access: Access[Any]
    where: Filter | None = None
    projection: Projection | None = None
    inner: tuple[Embedding, ...] = ()

    @property
    def omits_id(self) -> bool:
        """Whether what is embedded is shown without its id."""
        return self.projection is not None and self.projection.omits_id

    def is_alike(self, other: Embedding) -> bool:
        """Return whether both embed the same in place of different references."""
        return replace(self, references=other.references) == other


def plan_paths(call: Call, access: Access, text: str | None) -> tuple[Embedding, ...]:
    """Plan what ``expand=customer,lines[*].product`` embeds. Raises as ``plan_embeddings``.

    What paths alone embed follows from the caller and the rules; a filter in them may ask for more.
    """
    if not text:
        return ()
    if _PATHS_ALONE.fullmatch(text) is None:
        return plan_embeddings(call, access, _parse_kept(text), text)
    what = plan_paths, access.kind, text
    plan: tuple[Embedding, ...] = remember(
        call, what, lambda: plan_embeddings(call, access, _parse_kept(text), text)
    )
    return plan


_PATHS_ALONE: Final = re.compile(r"[A-Za-z0-9_.,*\[\]]{1,100}")

_parse_kept = lru_cache(maxsize=256)(parse_paths)


def plan_embeddings(
    call: Call, access: Access, expansions: Sequence[Expansion], text: str
) -> tuple[Embedding, ...]:
    """Plan what these expansions of records of ``access`` embed; ``text`` is what they were read from.

    Raises ``UnknownField`` and ``InvalidParameter`` (400), ``Denied`` (403) for a record type that the caller
    may not view, ``TooWide`` (422) for too many paths or one that follows too many references.
    """
    if len(expansions) > MOST_PATHS:
        raise TooWide(f"at most {MOST_PATHS} paths can be expanded at once: ask in several requests")
    planner = _Planner(call, text)
    root = _Node(access)
    for expansion in expansions:
        planner.add(root, expansion)
    return planner.build(root)


def show_expanded(
    projection: Projection, embeddings: Iterable[Embedding], hidden: frozenset[str]
) -> Projection:
    """Add what is expanded to a projection. Raises ``InvalidParameter`` where it leaves that, or its id, out.

    References are added whole: an index may hold their ids, and what MongoDB reads from an index alone has
    null in place of what is absent.
    """
    references = [reference for embedding in embeddings for reference in embedding.references]
    for reference in references:
        if is_within(reference.key, projection.exclude):
            message = f"{reference.stored} is expanded and left out at the same time: drop one of the two"
            raise InvalidParameter(message, parameter="expand")
    return projection.with_fields([reference.stored for reference in references], hidden)[0]


@dataclass(slots=True)
class _Node:
    """What is embedded in one place, while paths are added; ``directive`` is the path that ends here."""

    access: Access
    directive: Expansion | None = None
    inner: dict[Reference, _Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Planner:
    """Adds the expansions of one text to a tree, and builds the embeddings of the tree."""

    call: Call
    text: str

    def add(self, root: _Node, expansion: Expansion) -> None:
        """Add the nodes on the path of an expansion."""
        call, node = self.call, root
        hops = find_hops(
            expansion.path, root.access.kind, call.service.catalog, self._hidden_in, self.text, expansion.at
        )
        most = call.service.settings.expand_depth
        if len(hops) > most:
            message = (
                f"{expansion.path} follows {count_things(len(hops), 'reference')}, at most {most} are allowed"
            )
            raise TooWide(f"{message}: read the rest in another request")
        for hop in hops:
            target = call.service.catalog[hop.target]
            if hop not in node.inner:
                node.inner[hop] = _Node(allow_target(call, target, expansion.path))
            node = node.inner[hop]
        if node.directive is not None:
            message = f"{expansion.path} is expanded twice: write it once"
            raise InvalidParameter(message, parameter="expand", **place(self.text, expansion.at))
        node.directive = expansion

    def _hidden_in(self, kind: RecordType[Any], path: str) -> frozenset[str]:
        return allow_target(self.call, kind, path).hidden

    def build(self, node: _Node) -> tuple[Embedding, ...]:
        """Build the embeddings inside a node; references that embed the same share one."""
        found: list[Embedding] = []
        for reference, inner in node.inner.items():
            one = self._build(reference, inner)
            at = next((at for at, other in enumerate(found) if one.is_alike(other)), None)
            if at is None:
                found.append(one)
            else:
                found[at] = replace(found[at], references=(*found[at].references, reference))
        return tuple(found)

    def _build(self, reference: Reference, node: _Node) -> Embedding:
        inner = self.build(node)
        return Embedding((reference,), node.access, self._where(node), self._projection(node, inner), inner)

    def _where(self, node: _Node) -> Filter | None:
        if node.directive is None or node.directive.where is None:
            return None
        where = Filter(node.directive.where, self.text)
        check_callers_filter(self.call, node.access, where)
        return where

    def _projection(self, node: _Node, inner: tuple[Embedding, ...]) -> Projection | None:
        access, marks = node.access, node.directive.fields if node.directive else ()
        if not marks:
            return None
        projection = project_marks(marks, access.kind, access.hidden, self.text, "expand")
        return show_expanded(projection, inner, access.hidden)
