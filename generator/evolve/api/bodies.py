"""Bodies of requests and of answers, compared by media type."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from generator.evolve.api.documents import Document, Json, as_object
from generator.evolve.api.place import Place
from generator.evolve.api.recorder import Direction, Recorder
from generator.evolve.api.schemas import Schemas

_EXPANDED = "x-expanded-schema"
_TEXT_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")


def compare_contents(schemas: Schemas, old: Json, new: Json, place: Place) -> None:
    """Compare what is sent or read, by media type; ``place`` is where the whole body is."""
    before, after = _read_contents(old), _read_contents(new)
    for name in before:
        if name not in after and not any(fnmatchcase(name, other) for other in after):
            place.report("media-type-removed", f"{name} is gone")
    for name, content in after.items():
        if name not in before:
            place.report("media-type-added", f"{name} is new")
            continue
        here = place if len(after) == 1 else place.inside(f" {name}")
        here = Place(place.recorder, place.direction, here.at, is_text=name in _TEXT_FORMS)
        for word in ("schema", "x-event-schema"):
            if word in before[name] or word in content:
                schemas.compare(before[name].get(word, {}), content.get(word, {}), here)
        if _EXPANDED in before[name].keys() & content:  # without it a document says nothing of such answers
            schemas.compare(before[name][_EXPANDED], content[_EXPANDED], here)


def _read_contents(body: Json) -> dict[str, Json]:
    """Read media types in lower case, without the character set."""
    found = as_object(body.get("content")).items()
    return {_normalize(name): as_object(value) for name, value in found}


def _normalize(name: str) -> str:
    parts = [part.strip().lower() for part in name.split(";")]
    return "; ".join(part for part in parts if not part.startswith("charset="))


def compare_request_bodies(schemas: Schemas, old: Any, new: Any, recorder: Recorder, at: str) -> None:
    """Compare the bodies of the requests of an operation."""
    at = f"{at} body"
    if old is None or new is None:
        _report_one(schemas.new, old, new, recorder, at)
        return
    if schemas.sameness.is_same(old, new):
        return
    (shared, before), (name, after) = schemas.old.follow(old), schemas.new.follow(new)
    compare = partial(_compare_request_bodies, schemas, before, after, recorder)
    recorder.compare_once("request body", (shared, name), at, compare)


def _report_one(document: Document, old: Any, new: Any, recorder: Recorder, at: str) -> None:
    if old is not None:
        recorder.report("request-body-removed", at, "no body is taken")
    elif new is not None:
        is_required = document.follow(new)[1].get("required") is True
        recorder.report(
            f"request-body-added-{'required' if is_required else 'optional'}", at, "a body is new"
        )


def _compare_request_bodies(schemas: Schemas, old: Json, new: Json, recorder: Recorder, at: str) -> None:
    if bool(old.get("required")) != bool(new.get("required")):
        became = "required" if new.get("required") else "optional"
        recorder.report(f"request-body-became-{became}", at, f"the body is {became} now")
    compare_contents(schemas, old, new, Place(recorder, Direction.REQUEST, at))
