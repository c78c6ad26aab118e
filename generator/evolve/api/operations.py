"""Two operations at one path, compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from generator.evolve.api.announcements import compare_announcements
from generator.evolve.api.bodies import compare_request_bodies
from generator.evolve.api.documents import Json, as_list, as_object
from generator.evolve.api.parameters import Parameter, compare_parameters
from generator.evolve.api.recorder import Recorder
from generator.evolve.api.responses import compare_responses
from generator.evolve.api.schemas import Schemas
from generator.evolve.api.security import compare_security, read_requirements

Parameters = Mapping[Any, Parameter]


def compare_operations(
    schemas: Schemas, operations: tuple[Json, Json], parameters: tuple[Parameters, Parameters],
    recorder: Recorder, at: str, today: date,
) -> None:  # fmt: skip
    """Compare an operation with what it was. ``parameters`` are those of both, with those of the path."""
    old, new = operations
    _compare_names(old, new, recorder, at)
    compare_announcements("endpoint", old, new, recorder, at, today)
    compare_security(read_requirements(schemas.old, old), read_requirements(schemas.new, new), recorder, at)
    compare_parameters(schemas, *parameters, recorder, at, today)
    compare_request_bodies(schemas, old.get("requestBody"), new.get("requestBody"), recorder, at)
    compare_responses(schemas, as_object(old.get("responses")), as_object(new.get("responses")), recorder, at)
    if old.get("callbacks") != new.get("callbacks"):
        recorder.report("endpoint-callbacks-changed", at, "what the service calls differs")


def _compare_names(old: Json, new: Json, recorder: Recorder, at: str) -> None:
    before, after = old.get("operationId"), new.get("operationId")
    if before != after:
        recorder.report("endpoint-id-changed", at, f"the operationId was {before}, is {after}")
    if as_list(old.get("tags")) != as_list(new.get("tags")):
        recorder.report("endpoint-tags-changed", at, "the tags differ")
