"""The responses of an operation and their headers, compared."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from generator.evolve.api.bodies import compare_contents
from generator.evolve.api.documents import Json, as_object
from generator.evolve.api.place import Place
from generator.evolve.api.recorder import Direction, Recorder
from generator.evolve.api.schemas import Schemas


def compare_responses(schemas: Schemas, old: Json, new: Json, recorder: Recorder, at: str) -> None:
    """Compare what an operation answers, by status."""
    for status in old:
        if not _is_covered(status, new):
            rule = "success" if _is_success(status) else "error"
            recorder.report(f"response-{rule}-status-removed", f"{at} {status}", "the status is gone")
    for status, value in new.items():
        here = f"{at} {status}"
        if status not in old:
            rule = "success" if _is_success(status) else "error"
            recorder.report(f"response-{rule}-status-added", here, "the status is new")
            continue
        if schemas.sameness.is_same(old[status], value):
            continue
        (shared, before), (name, after) = schemas.old.follow(old[status]), schemas.new.follow(value)
        compare = partial(_compare_response, schemas, before, after, recorder)
        recorder.compare_once("response", (shared, name), here, compare)


def _is_success(status: str) -> bool:
    return status.startswith(("2", "3"))


def _is_covered(status: str, statuses: Iterable[str]) -> bool:
    """Whether a status is described, be it by its class."""
    return status in statuses or f"{status[:1]}XX" in statuses


def _compare_response(schemas: Schemas, old: Json, new: Json, recorder: Recorder, at: str) -> None:
    _compare_headers(schemas, as_object(old.get("headers")), as_object(new.get("headers")), recorder, at)
    if old.get("content") or new.get("content"):
        place = Place(recorder, Direction.RESPONSE, at)
        if not new.get("content"):
            place.report("body-removed", "there is no body any more")
        elif not old.get("content"):
            place.report("body-added", "there is a body now")
        else:
            compare_contents(schemas, old, new, place)


def _compare_headers(schemas: Schemas, old: Json, new: Json, recorder: Recorder, at: str) -> None:
    before = {name.lower(): (name, *schemas.old.follow(value)) for name, value in old.items()}
    after = {name.lower(): (name, *schemas.new.follow(value)) for name, value in new.items()}
    for key, (name, _shared, header) in before.items():
        if key not in after:
            rule = "response-required-header-removed" if header.get("required") else "response-header-removed"
            recorder.report(rule, f"{at} header {name}", "the header is gone")
    for key, (name, shared, header) in after.items():
        if key not in before:
            recorder.report("response-header-added", f"{at} header {name}", "the header is new")
            continue
        _name, former, words = before[key]
        compare = partial(_compare_header, schemas, words, header, recorder)
        recorder.compare_once("header", (former, shared), f"{at} header {name}", compare)


def _compare_header(schemas: Schemas, old: Json, new: Json, recorder: Recorder, at: str) -> None:
    if bool(old.get("required")) != bool(new.get("required")):
        became = "required" if new.get("required") else "optional"
        recorder.report(f"response-header-became-{became}", at, f"the header is {became} now")
    place = Place(recorder, Direction.RESPONSE, at, is_text=True)
    schemas.compare(old.get("schema", {}), new.get("schema", {}), place)
