"""Records and structures whose name cannot be, or is taken: what else is wrong with them.

Each is checked under a name that could be, in a context of its own, and then dropped: its names take none
from others, and nothing else of the model knows it.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from generator.naming import ClassName, suggest_class_name
from generator.resolve.context import Context, Spot
from generator.resolve.ontology import check_structure_statements
from generator.resolve.paths import Paths
from generator.resolve.records import build_record, build_structure, check_record, check_structure
from generator.spec import Document, RecordSpec, StructureSpec

S = TypeVar("S", RecordSpec, StructureSpec)

_STAND_IN = ClassName("Misnamed")


def check_misnamed(context: Context, structures: Collection[str], records: Collection[str]) -> None:
    """Check what is not among the structures and records that were built, by their names in the files."""
    for structure in context.specs.structures:
        if structure.name not in structures or context.structures[structure.name] is not structure:
            _check_structure(_isolate(context), structure)
    for record in context.specs.records:
        if record.name not in records or context.records[record.name] is not record:
            _check_record(_isolate(context), record)


def _isolate(context: Context) -> Context:
    return replace(context, claims={}, history=[], clashing=set(), unsure=dict(context.unsure))


def _rename(document: Document[S], word: str) -> Document[S]:
    name = suggest_class_name(document.name) or _STAND_IN
    spec = document.spec.model_copy(update={word: name})
    return replace(document, build=lambda: spec)


def _check_structure(context: Context, misnamed: Document[StructureSpec]) -> None:
    document = _rename(misnamed, "structure")
    structure = build_structure(context, document)
    if structure is not None:
        check_structure(context, document, structure, Paths(context.built_structures, context.unsure))
        check_structure_statements(Spot(context, document, ("fields",)), document.spec.fields)


def _check_record(context: Context, misnamed: Document[RecordSpec]) -> None:
    document = _rename(misnamed, "record")
    record = build_record(context, document)
    if record is not None:
        check_record(context, document, record, Paths(context.built_structures, context.unsure))
