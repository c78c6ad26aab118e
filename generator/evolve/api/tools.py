"""The tools of two versions, compared: each is called with arguments, by its name."""

from __future__ import annotations

from collections.abc import Mapping

from generator.evolve.api.documents import Document, Json, as_object
from generator.evolve.api.place import Place
from generator.evolve.api.recorder import OPERATION, Direction, Recorder, Scope
from generator.evolve.api.schemas import Schemas
from generator.findings import Finding


def compare_tools(old: Document, new: Document, names: Mapping[str, str]) -> list[Finding]:
    """Compare the section ``tools`` of two documents, whose schemas refer to their components.

    ``names``: former name → present name of record types.
    """
    recorder, schemas = Recorder(), Schemas(old, new, names)
    before, after = old.section("tools"), new.section("tools")
    for name in [*before, *(name for name in after if name not in before)]:
        at = f"tool {name}"
        with recorder.open(Scope(OPERATION, at)):
            if name not in after:
                recorder.report("tool-removed", at, "the tool is gone")
            elif name not in before:
                recorder.report("tool-added", at, "the tool is new")
            else:
                _compare_tool(schemas, as_object(before[name]), as_object(after[name]), recorder, at)
    return recorder.list_findings()


def _compare_tool(schemas: Schemas, old: Json, new: Json, recorder: Recorder, at: str) -> None:
    if (was := old.get("does")) != (does := new.get("does")):
        recorder.report("tool-purpose-changed", at, f"it was {was}, is {does}")
    schemas.compare(
        old.get("arguments", {}), new.get("arguments", {}), Place(recorder, Direction.REQUEST, at)
    )
    answers = old.get("answer", {}), new.get("answer", {})
    schemas.compare(*answers, Place(recorder, Direction.RESPONSE, f"{at} answer"))
