"""Which webhooks a write may concern: decided at once, aside where that takes long, or not where it takes too long."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from generated.record_types import CUSTOMER
from runtime.filter import EVERYTHING, Predicate, WeighedFilter, admits, compile_filter, weigh_record
from runtime.outbox import deciding
from runtime.outbox.deciding import Decisions
from runtime.outbox.table import Hook

pytestmark = pytest.mark.anyio

WORST = " || ".join(f"name:*{'a?' * 100}{k}*" for k in range(70))
LARGE, SMALL = "a" * 100_000, "abc"
LOOP, ASIDE = "MainThread", "long-work_0"


def hook(text: str | None, *events: str) -> Hook:
    match = EVERYTHING if text is None else compile_filter(text, CUSTOMER)
    return Hook("id", "acme", "owner", frozenset(events or {"created"}), WeighedFilter.of(match))


def record(name: str, tenant: str = "acme") -> dict[str, Any]:
    return {"_id": 1, "name": name, "dataDomain": {"tenantId": tenant}}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []

    def note(predicate: Predicate, document: Any) -> bool:
        names.append(threading.current_thread().name)
        return admits(predicate, document)

    monkeypatch.setattr("runtime.outbox.table.admits", note)
    return names


@pytest.mark.parametrize(
    ("one", "document", "wanted", "where"),
    [
        pytest.param(hook(None), record(LARGE), True, [], id="no filter"),
        pytest.param(hook(WORST, "updated"), record(LARGE), False, [], id="another event"),
        pytest.param(hook(WORST), record(LARGE, "globex"), False, [], id="of another tenant"),
        pytest.param(hook("name:*b*"), record(SMALL), True, [LOOP], id="a small record"),
        pytest.param(hook(WORST), record(SMALL), False, [LOOP], id="the worst filter, a small record"),
        pytest.param(hook(WORST), record(LARGE), False, [ASIDE], id="the worst filter, a large record"),
        pytest.param(hook(f"{WORST} || name:a*"), record(LARGE), True, [ASIDE], id="one that it admits"),
    ],
)
async def test_where_it_is_decided(
    one: Hook, document: dict[str, Any], wanted: bool, where: list[str], threads: list[str]
) -> None:
    assert await Decisions().check(one, "created", document) is wanted
    assert threads == where


async def test_what_would_take_too_long_together_is_decided_when_it_is_sent(
    threads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    once = hook(WORST).wanted.estimate_seconds(weigh_record(record(LARGE)))
    monkeypatch.setattr(deciding, "MOST_SECONDS", 2.5 * once)
    monkeypatch.setattr(deciding, "monotonic", lambda: 0.0)
    decisions = Decisions()
    assert [await decisions.check(hook(WORST), "created", record(LARGE)) for _ in range(5)] == [False] * 2 + [
        True
    ] * 3
    assert threads == [ASIDE] * 2
    assert await decisions.check(hook(WORST), "created", record(SMALL)) is False
    assert await decisions.check(hook(WORST), "deleted", record(LARGE)) is False
    assert await Decisions().check(hook(WORST), "created", record(LARGE)) is False


async def test_a_busy_machine_decides_on_less(threads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10))
    monkeypatch.setattr(deciding, "monotonic", lambda: float(next(clock)))
    decisions = Decisions()
    assert [await decisions.check(hook(WORST), "created", record(LARGE)) for _ in range(3)] == [
        False,
        True,
        True,
    ]
    assert threads == [ASIDE]
