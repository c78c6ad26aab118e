"""The marks of the fields of an index: ``name~ci:sv`` serves a sort with the same mark."""

from collections.abc import Sequence

from generator.filters import find_value_kind
from generator.model import Type
from generator.resolve.context import Spot
from runtime.filter import Field, Marks
from runtime.model.field_type import FieldType


def read_language(
    spot: Spot, paths: Sequence[str], found: Sequence[Type], marks: Sequence[Sequence[str]], *, unique: bool
) -> tuple[str | None, bool]:
    """Return the language of an index with marks, and whether they are fine; else report them."""
    if not any(marks):
        return None, True
    if unique:
        spot.report("SPEC053", "unique compares texts exactly: leave out unique, or ~ci", "unique")
    read = Marks()
    for position, (path, kind, each) in enumerate(zip(paths, found, marks, strict=True)):
        place = Field(path, FieldType(find_value_kind(kind.kind)), ())
        fault = read.add(path, place, 1, each)
        if any(mark.startswith("nulls") for mark in each):
            fault = f"an index serves a sort wherever that places its nulls: write {path} without the mark"
        if fault:
            spot.report("SPEC053", fault, "fields", position)
            return None, False
    return read.language, not unique
