"""Two versions of what specifications say about stored data → what changed, as values.

Pure. A change names its field by the path in the new version, or in the old one where the field is gone:
``lines[].sku`` is inside the items of a list, ``prices{}`` is a value of a map.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.evolve.change_kinds import ChangeKind
from generator.evolve.limits import Move, compare_limits
from generator.evolve.pairs import pair_records, pair_up
from generator.evolve.stored import StoredField, StoredGraph, StoredRecord, StoredSpecs, StoredType
from generator.evolve.stored_indexes import compare_indexes
from generator.evolve.stored_states import compare_graphs
from generator.evolve.stored_types import Fit, compare_types

_OF_UNSENT = (ChangeKind.STATE_REQUIRED, ChangeKind.DEFAULT_CHANGED)
"""What only concerns records that are sent without a field."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one record type: what was ``before``, what is ``after``; None where there is nothing."""

    kind: ChangeKind
    record: str
    path: str = ""
    before: object = None
    after: object = None


def compare_stored(old: StoredSpecs, new: StoredSpecs) -> tuple[Change, ...]:
    """Compare two versions; changes in the order of the new records, removed records last."""
    return tuple(_Comparison(old, new).list_changes())


class _Comparison:
    def __init__(self, old: StoredSpecs, new: StoredSpecs) -> None:
        self.old, self.new = old, new
        self.old_graphs: Mapping[str, StoredGraph] = {one.name: one for one in old.graphs}
        self.new_graphs: Mapping[str, StoredGraph] = {one.name: one for one in new.graphs}
        self.is_graph_changed = old.graphs != new.graphs
        self.stored_names: tuple[Mapping[str, str], Mapping[str, str]] = (
            {one.name: one.stored_name for one in old.records},
            {one.name: one.stored_name for one in new.records},
        )

    def list_changes(self) -> Iterator[Change]:
        for old, new in pair_records(self.old, self.new):
            if old and new:
                yield from self._compare_records(old, new)
            elif new:
                yield Change(ChangeKind.RECORD_ADDED, new.name)
            elif old:
                yield Change(ChangeKind.RECORD_REMOVED, old.name, before=old.collection)

    def _compare_records(self, old: StoredRecord, new: StoredRecord) -> Iterator[Change]:
        name = new.name
        if old == new and not self.is_graph_changed:
            return
        if old.name != name:
            yield Change(ChangeKind.RECORD_RENAMED, name, before=old.name, after=name)
        if old.area != new.area:
            yield Change(ChangeKind.AREA_CHANGED, name, before=old.area, after=new.area)
        if old.collection != new.collection:
            yield Change(ChangeKind.COLLECTION_CHANGED, name, before=old.collection, after=new.collection)
        yield from _compare_marks(old, new)
        yield from self._compare_fields(name, old.fields, new.fields, "", "")
        for word, path, before, after in compare_indexes(old, new):
            yield Change(ChangeKind[word], name, path, before=before, after=after)

    def _compare_fields(
        self, record: str, old: tuple[StoredField, ...], new: tuple[StoredField, ...], was: str, now: str
    ) -> Iterator[Change]:
        """Compare the fields of an object; ``was`` and ``now`` are what their paths begin with."""
        for one, other in pair_up(old, new):
            if one and other:
                paths = f"{was}{one.name}", f"{now}{other.name}"
                yield from self._compare_field(record, one, other, *paths)
            elif other:
                yield from self._describe_added(record, other, f"{now}{other.name}")
            elif one:
                yield Change(ChangeKind.FIELD_REMOVED, record, f"{was}{one.name}", before=str(one.type))

    def _compare_field(
        self, record: str, old: StoredField, new: StoredField, was: str, path: str
    ) -> Iterator[Change]:
        if old.name != new.name:
            yield Change(ChangeKind.FIELD_RENAMED, record, path, old.name, new.name)
        elif new.renamed_from not in (None, old.renamed_from):
            yield Change(ChangeKind.FIELD_RENAMED_LATE, record, path, new.renamed_from, new.type)
        if old.required != new.required:
            yield Change(
                ChangeKind.FIELD_REQUIRED if new.required else ChangeKind.FIELD_OPTIONAL, record, path
            )
        if old.default != new.default:
            yield Change(ChangeKind.DEFAULT_CHANGED, record, path, old.default, new.default)
        for change in self._compare_types(record, old.type, new.type, was, path):
            if not (new.required and change.path == path and change.kind in _OF_UNSENT):
                yield change

    def _describe_added(self, record: str, new: StoredField, path: str) -> Iterator[Change]:
        yield Change(ChangeKind.FIELD_ADDED, record, path, after=new.default)
        if new.renamed_from is not None:
            late = ChangeKind.FIELD_RENAMED_LATE
            yield Change(late, record, path, before=new.renamed_from, after=new.type)
        if new.required:
            yield Change(ChangeKind.FIELD_REQUIRED, record, path)
        elif new.type.kind == "states" and self.new_graphs[new.type.target or ""].start is None:
            yield Change(ChangeKind.STATE_REQUIRED, record, path)

    def _compare_types(
        self, record: str, old: StoredType, new: StoredType, was: str, path: str
    ) -> Iterator[Change]:
        fit = compare_types(old, new)
        if {old.kind, new.kind} == {"string", "text"}:
            yield Change(ChangeKind.SEARCH_CHANGED, record, path, old, new)
        elif fit is not Fit.SAME:
            yield Change(_KINDS[fit], record, path, old, new)
            return
        if old.item is not None and new.item is not None:
            mark = "[]" if new.kind == "list" else "{}"
            yield from self._compare_types(record, old.item, new.item, f"{was}{mark}", f"{path}{mark}")
        yield from self._compare_fields(record, old.fields, new.fields, f"{was}.", f"{path}.")
        yield from self._compare_words(record, old, new, path)
        for word, before, after, move in compare_limits(old.limits, new.limits):
            kind = ChangeKind.LIMIT_WIDENED if move is Move.MORE else ChangeKind.LIMIT_NARROWED
            yield Change(kind, record, path, f"{word} {_show(before)}", f"{word} {_show(after)}")
        for word in ("pattern", "format"):
            before, after = old.limits.get(word), new.limits.get(word)
            if before != after:
                kind = ChangeKind.LIMIT_WIDENED if after is None else ChangeKind.LIMIT_NARROWED
                yield Change(kind, record, path, f"{word} {_show(before)}", f"{word} {_show(after)}")

    def _compare_words(self, record: str, old: StoredType, new: StoredType, path: str) -> Iterator[Change]:
        """Compare the values of an enum, the states of a graph, or what a reference points to."""
        if new.kind == "enum":
            removed = [one for one in old.values if one not in new.values]
            added = [one for one in new.values if one not in old.values]
            yield from (Change(ChangeKind.VALUE_REMOVED, record, path, before=one) for one in removed)
            yield from (Change(ChangeKind.VALUE_ADDED, record, path, after=one) for one in added)
        elif new.kind == "reference" and self._is_target_changed(old.target or "", new.target or ""):
            yield Change(ChangeKind.TARGET_CHANGED, record, path, old.target, new.target)
        elif new.kind == "states":
            graphs = self.old_graphs[old.target or ""], self.new_graphs[new.target or ""]
            for kind, before, after in compare_graphs(*graphs):
                yield Change(kind, record, path, before, after)

    def _is_target_changed(self, old: str, new: str) -> bool:
        former, present = self.stored_names
        return former.get(old, old) != present.get(new, new)


_KINDS: Mapping[Fit, ChangeKind] = {
    Fit.CONVERTED: ChangeKind.TYPE_WIDENED,
    Fit.SOME: ChangeKind.TYPE_NARROWED,
    Fit.NONE: ChangeKind.TYPE_CHANGED,
}


def _show(value: object) -> str:
    return "none" if value is None else str(value)


def _compare_marks(old: StoredRecord, new: StoredRecord) -> Iterator[Change]:
    """Compare what a record type says of its records as a whole."""
    name = new.name
    if old.dynamic_attributes and not new.dynamic_attributes:
        yield Change(ChangeKind.ATTRIBUTES_REMOVED, name)
    if old.audited and not new.audited:
        yield Change(ChangeKind.HISTORY_STOPPED, name)
    if old.on_delete != new.on_delete:
        yield Change(ChangeKind.DELETION_CHANGED, name, before=old.on_delete, after=new.on_delete)
    former, present = (() if one.lenient else one.constraints for one in (old, new))
    for rule in present:
        if rule not in former:
            yield Change(ChangeKind.CONSTRAINT_ADDED, name, after=rule)
    for rule in former:
        if rule not in present:
            yield Change(ChangeKind.CONSTRAINT_REMOVED, name, before=rule)
