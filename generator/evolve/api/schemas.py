"""Two schemas at one place → what changed for those who send or read values of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from generator.evolve.api.branches import compare_all_of, compare_branches, compare_discriminators
from generator.evolve.api.documents import Document, as_object
from generator.evolve.api.objects import compare_objects
from generator.evolve.api.place import Place, show
from generator.evolve.api.recorder import Direction, Recorder, Scope, Trial, UnfitError
from generator.evolve.api.sameness import Sameness
from generator.evolve.api.shapes import Shape, is_text, name_of, read_shape, unwrap
from generator.evolve.api.types import compare_types, show_type
from generator.evolve.api.values import compare_defaults, compare_enums, compare_patterns
from generator.evolve.limits import WORDS, Move, compare_limits

_COMPARED = frozenset(
    {*WORDS, "format", "pattern", "default", "properties", "required", "additionalProperties", "items",
     "allOf", "discriminator", "readOnly", "writeOnly", "x-extensible-enum", "$ref", "$schema"}
)  # fmt: skip

_TARGET = "x-references"


class Schemas:
    """Compares schemas of two documents; ``names``: former name → present name of record types."""

    def __init__(self, old: Document, new: Document, names: Mapping[str, str]) -> None:
        self.old, self.new, self.names = old, new, names
        self.sameness = Sameness(old, new)
        self._active: set[tuple[int, int, Direction, Recorder]] = set()
        self._trial = Trial()
        self._tried: list[tuple[Any, Any]] = []

    def compare(self, old: Any, new: Any, place: Place) -> None:
        """Compare two schemas. Components that they refer to are compared once for each direction."""
        if self.sameness.is_same(old, new):
            return
        (inner, was_nullable), (other, is_nullable) = unwrap(old), unwrap(new)
        self._compare_targets(as_object(inner).get(_TARGET), as_object(other).get(_TARGET), place)
        former, name = name_of(inner), name_of(other)
        if former is None or name is None:
            self._compare_found(old, new, place)
            return
        if was_nullable != is_nullable:
            _report_nullable(place, is_nullable=is_nullable)
        kind = "text schema" if place.is_text else "schema"
        scope = Scope(kind, name if former == name else f"{former} → {name}", place.direction)
        if not place.recorder.is_known(scope):
            with place.recorder.open(scope):
                found = self.old.follow(inner)[1], self.new.follow(other)[1]
                self._compare_found(*found, place.renamed(name))

    def _compare_targets(self, old: Any, new: Any, place: Place) -> None:
        """Compare the record types that references lead to."""
        if old is not None and new is not None and self.names.get(str(old), old) != new:
            place.report("reference-changed", f"it refers to {show(new)}, and referred to {show(old)}")

    def fits(self, old: Any, new: Any, place: Place) -> bool:
        """Whether a client of the old schema can do with the new one; False in very deeply nested choices."""
        self._tried.append((old, new))  # an object that was freed might give another one its id
        here = replace(place, recorder=self._trial)
        marks = place.is_parameter, place.is_text, place.is_ignored
        scope = Scope("trial", f"{id(old)} {id(new)} {marks}", place.direction)
        try:
            if not self._trial.is_known(scope):
                with self._trial.open(scope):
                    self.compare(old, new, here)
        except UnfitError:
            return False
        return True

    def _compare_found(self, old: Any, new: Any, place: Place) -> None:
        key = id(old), id(new), place.direction, place.recorder
        if key in self._active:
            return
        self._active.add(key)
        try:
            self._compare_shapes(read_shape(old, self.old), read_shape(new, self.new), (old, new), place)
        finally:
            self._active.discard(key)

    def _compare_shapes(self, old: Shape, new: Shape, raw: tuple[Any, Any], place: Place) -> None:
        if old.nullable != new.nullable:
            _report_nullable(place, is_nullable=new.nullable)
        if old.branches or new.branches:
            compare_branches(self.compare, self.fits, old, new, raw, place)
            if not (old.branches and new.branches):
                return
            compare_discriminators(self.fits, old, new, place)
        elif not _compare_types(old, new, place):
            return
        compare_enums(old, new, place)
        compare_defaults(old, new, place)
        compare_patterns(old, new, place)
        for word, before, after, move in compare_limits(old.words, new.words):
            place.report_move("limit", move, f"{word} was {show(before)}, is {show(after)}")
        compare_all_of(self.compare, self.fits, old, new, place)
        compare_objects(self.compare, old, new, place)
        if "items" in old.words or "items" in new.words:
            self.compare(old.words.get("items", {}), new.words.get("items", {}), place.inside("[]"))
        self._compare_rest(old, new, place)

    def _compare_rest(self, old: Shape, new: Shape, place: Place) -> None:
        """Report words that are compared nowhere else: nothing that differs goes unsaid."""
        for word in sorted({*old.words, *new.words} - _COMPARED):
            if not is_text(word) and old.words.get(word) != new.words.get(word):
                place.report("schema-changed", f"{word} differs")


def _compare_types(old: Shape, new: Shape, place: Place) -> bool:
    """Report another type; return whether the rest can be compared."""
    move = compare_types(old, new, is_text=place.is_text)
    if move is None:
        return True
    place.report_move("type", move, f"the type was {show_type(old)}, is {show_type(new)}")
    return move is not Move.OTHER or old.types is None or new.types is None or bool(old.types & new.types)


def _report_nullable(place: Place, *, is_nullable: bool) -> None:
    if is_nullable:
        place.report("became-nullable", "may be null now")
    else:
        place.report("became-not-nullable", "may no longer be null")
