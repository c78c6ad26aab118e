"""The parameters of an operation, compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from generator.evolve.api.announcements import compare_announcements, name_removal
from generator.evolve.api.bodies import compare_contents
from generator.evolve.api.documents import Document, Json
from generator.evolve.api.place import Place
from generator.evolve.api.recorder import Direction, Recorder
from generator.evolve.api.schemas import Schemas

_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation; ``shared``: the component that it is."""

    name: str
    location: str
    shared: str | None
    words: Json

    @property
    def is_required(self) -> bool:
        """Whether it must be sent."""
        return self.words.get("required") is True or self.location == "path"


def read_parameters(
    lists: Iterable[Any], document: Document, names: Mapping[str, str]
) -> dict[Any, Parameter]:
    """Read parameters by location and name; ``names``: the present names of path parameters."""
    found: dict[Any, Parameter] = {}
    for value in lists:
        shared, words = document.follow(value)
        location, name = str(words.get("in", "query")), str(words.get("name", ""))
        key = names.get(name, name) if location == "path" else name
        found[location, key.lower() if location == "header" else key] = Parameter(
            key, location, shared, words
        )
    return found


def compare_parameters(
    schemas: Schemas, old: Mapping[Any, Parameter], new: Mapping[Any, Parameter], recorder: Recorder, at: str,
    today: date,
) -> None:  # fmt: skip
    """Compare the parameters of an operation, which is at ``at``."""
    for key, one in old.items():
        if key not in new:
            rule = name_removal("request-parameter", one.words, today)
            recorder.report(rule, f"{at} {one.location} {one.name}", "the parameter is gone")
    for key, one in new.items():
        here = f"{at} {one.location} {one.name}"
        former = old.get(key)
        if former is None:
            rule = "required-parameter-added" if one.is_required else "parameter-added"
            recorder.report(f"request-{rule}", here, "the parameter is new")
        else:
            compare = partial(_compare_parameter, schemas, former, one, recorder, today)
            recorder.compare_once("parameter", (former.shared, one.shared), here, compare)


def _compare_parameter(
    schemas: Schemas, old: Parameter, new: Parameter, recorder: Recorder, today: date, at: str
) -> None:
    if old.is_required != new.is_required:
        became = "required" if new.is_required else "optional"
        recorder.report(f"request-parameter-became-{became}", at, f"the parameter is {became} now")
    for word, usual in (("style", _STYLES.get(new.location)), ("explode", None), ("allowReserved", None)):
        if old.words.get(word, usual) != new.words.get(word, usual):
            recorder.report("request-parameter-style-changed", at, f"{word} differs")
    compare_announcements("request-parameter", old.words, new.words, recorder, at, today)
    if "content" in old.words or "content" in new.words:
        compare_contents(schemas, old.words, new.words, Place(recorder, Direction.REQUEST, at))
        return
    place = Place(recorder, Direction.REQUEST, at, is_parameter=True, is_text=True)
    schemas.compare(old.words.get("schema", {}), new.words.get("schema", {}), place)
