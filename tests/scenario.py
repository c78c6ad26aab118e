"""A request told as a value, with all that may and may not come of it.

``play`` compares the whole realm before and after, so that a scenario also says what must not have
happened: by default nothing is stored, changed or removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

Snapshot = dict[tuple[str, str], bytes]


@dataclass(frozen=True)
class Scenario:
    """One request and its expectations.

    ``user`` names a caller of the fixture ``world``; None sends no token. ``has`` and ``lacks``: dotted
    paths of the answer (``rows[0].name``) with their values, or paths that must be absent. ``silent_on``:
    texts that may stand nowhere in the answer. ``stored``/``changed``/``removed``: documents of the realm.
    """

    name: str
    request: str
    user: str | None = "acme"
    body: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    code: str | None = None
    has: Mapping[str, Any] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    silent_on: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    stored: int = 0
    changed: int = 0
    removed: int = 0

    def __str__(self) -> str:
        return self.name


MISSING = object()


def at(value: Any, path: str) -> Any:
    """The value at a dotted path with ``[n]`` steps, or ``MISSING``."""
    for step in path.replace("[", ".[").split("."):
        if step.startswith("["):
            position = int(step[1:-1])
            if not isinstance(value, list) or position >= len(value):
                return MISSING
            value = value[position]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return MISSING
    return value


def check_answer(scenario: Scenario, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Compare an answer with what the scenario says of it."""
    said = body.decode(errors="replace")
    assert status == scenario.status, said
    answer = orjson.loads(body) if body and "json" in headers.get("content-type", "") else None
    if scenario.status >= 400:
        assert headers["content-type"] == "application/problem+json", said
        assert at(answer, "status") == scenario.status, said
    if scenario.code is not None:
        assert at(answer, "code") == scenario.code, said
    for path, expected in scenario.has.items():
        assert at(answer, path) == expected, f"{path} in {said}"
    for path in scenario.lacks:
        assert at(answer, path) is MISSING, f"{path} in {said}"
    for text in scenario.silent_on:
        assert text not in said, f"{text} in {said}"
    for header, expected in scenario.answers.items():
        assert headers.get(header.lower()) == expected, f"{header}: {headers.get(header.lower())}"


def check_store(scenario: Scenario, before: Snapshot, after: Snapshot) -> None:
    """Compare what happened to the realm with what the scenario allows."""
    new = after.keys() - before.keys()
    gone = before.keys() - after.keys()
    changed = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    assert (len(new), len(changed), len(gone)) == (scenario.stored, scenario.changed, scenario.removed), (
        f"stored {sorted(new)}, changed {sorted(changed)}, removed {sorted(gone)}"
    )
