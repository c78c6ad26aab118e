"""A request told as a value, with all that may and may not come of it.

``play`` compares the whole realm before and after, so that a scenario also says what must not have
happened: by default nothing is stored, changed or removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

Snapshot = Mapping[tuple[str, str], bytes]
"""(collection, id) → the document."""


@dataclass(frozen=True)
class Scenario:
    """One request and its expectations.

    ``user`` names a caller of the fixture ``world``; None sends no token. ``body`` is sent as JSON,
    ``content`` as it is. ``has`` and ``lacks``: dotted paths of the answer (``rows[0].name``) with their
    values, or paths that must be absent. ``says``: what the detail of a problem must contain. ``silent_on``:
    texts that may stand nowhere in the answer. ``answers``: headers of the answer, None for those that
    must be absent. ``stored``, ``changed``, ``removed``: how many documents of the realm.
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
    says: tuple[str, ...] = ()
    silent_on: tuple[str, ...] = ()
    answers: Mapping[str, str | None] = field(default_factory=dict)
    stored: int = 0
    changed: int = 0
    removed: int = 0

    def __str__(self) -> str:
        return self.name


MISSING = object()


def at(value: Any, path: str) -> Any:
    """The value at a dotted path with ``[n]`` steps, or ``MISSING``."""
    for step in path.replace("[", ".[").lstrip(".").split("."):
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
    answer: Any = orjson.loads(body) if body and "json" in headers.get("content-type", "") else None
    if status >= 400:
        check_problem(scenario.status, headers, answer)
        assert scenario.code is None or answer["code"] == scenario.code, said
        for text in scenario.says:
            assert text in answer["detail"], said
    for path, expected in scenario.has.items():
        assert at(answer, path) == expected, f"{path} in {said}"
    for path in scenario.lacks:
        assert at(answer, path) is MISSING, f"{path} in {said}"
    for text in scenario.silent_on:
        assert text not in said, f"{text} in {said}"
    for header, value in scenario.answers.items():
        assert headers.get(header.lower()) == value, f"{header}: {headers.get(header.lower())}"


def check_problem(status: int, headers: Mapping[str, str], answer: Any) -> None:
    """Every refusal is an RFC 9457 problem of one shape, and is not kept by caches."""
    assert headers["content-type"] == "application/problem+json"
    assert headers["cache-control"] == "no-store"
    assert answer["status"] == status
    assert answer["type"] == f"urn:recordsmith:problem:{answer['code']}"
    assert answer["title"]
    assert answer["detail"]
    assert answer["instance"].startswith("/")
    assert answer["requestId"] == headers["x-request-id"]


def check_store(scenario: Scenario, before: Snapshot, after: Snapshot) -> None:
    """Compare what happened to the realm with what the scenario allows."""
    new = after.keys() - before.keys()
    gone = before.keys() - after.keys()
    changed = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    assert (len(new), len(changed), len(gone)) == (scenario.stored, scenario.changed, scenario.removed), (
        f"stored {sorted(new)}, changed {sorted(changed)}, removed {sorted(gone)}"
    )
