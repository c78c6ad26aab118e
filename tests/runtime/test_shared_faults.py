"""Errors of work that many wait for: each caller gets one of its own, and nobody else's request with it."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import dataclass, field
from typing import Any

import pytest

from runtime.access.rule_book import RuleBook
from runtime.errors import QuotaExceeded, RecordBusy, StoreUnavailable
from runtime.http.probe import Probe
from runtime.principal import DomainContext
from runtime.quotas import Quotas
from runtime.service_error import ServiceError
from runtime.settings import Settings

pytestmark = pytest.mark.anyio

CALLERS = 50
DOMAIN = DomainContext(tenant_id="acme", default_realm="main")


@pytest.mark.parametrize(
    "error",
    [
        StoreUnavailable("away", cause=OSError("x"), column=3),
        QuotaExceeded("too many", limits={"RateLimit": "x"}, retryAfter=7),
        RecordBusy("busy"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_renewed_error_says_the_same_and_is_another(error: ServiceError) -> None:
    try:
        raise error
    except ServiceError:
        fresh = error.renew()
    assert type(fresh) is type(error)
    assert (fresh.message, fresh.details, fresh.headers, fresh.cause, fresh.args) == (
        error.message, error.details, error.headers, error.cause, error.args,
    )  # fmt: skip
    assert fresh.__traceback__ is None
    fresh.details["reasons"] = ["of one caller"]
    assert "reasons" not in error.details


def check_apart(errors: list[BaseException], kind: type[BaseException]) -> None:
    """Each is an object of its own, whose traceback has no frames of the others."""
    assert {type(one) for one in errors} == {kind}
    assert len({id(one) for one in errors}) == len(errors)
    depths = {len(traceback.extract_tb(one.__traceback__)) for one in errors}
    assert len(depths) == 1
    assert max(depths) < 8


@pytest.mark.parametrize("error", [StoreUnavailable("away"), ZeroDivisionError("a fault of ours")])
async def test_requests_that_cannot_be_counted(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    async def fail(_self: Quotas, _window: Any, _number: int) -> int:
        await asyncio.sleep(0)
        raise error

    monkeypatch.setattr(Quotas, "_add", fail)
    settings = Settings.read({}, environment="development", requests_per_tenant=9, requests_per_user=9)
    store: Any = None
    quotas = Quotas(store, settings, lambda: 0.0)
    waiting = [quotas.count(f"user {number % 2}", DOMAIN) for number in range(CALLERS)]
    errors = await asyncio.gather(*waiting, return_exceptions=True)
    check_apart(
        [one for one in errors if isinstance(one, BaseException)],
        StoreUnavailable if isinstance(error, StoreUnavailable) else RuntimeError,
    )


async def test_rules_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_self: RuleBook, _key: Any) -> Any:
        await asyncio.sleep(0)
        raise StoreUnavailable("away")

    monkeypatch.setattr(RuleBook, "_load", fail)
    store: Any = None
    book = RuleBook(store, ())
    waiting = [book.find_rules("main", DOMAIN) for _caller in range(CALLERS)]
    errors = await asyncio.gather(*waiting, return_exceptions=True)
    check_apart([one for one in errors if isinstance(one, BaseException)], StoreUnavailable)


@dataclass
class Looking:
    """What a probe does: it counts how often, and finds these faults."""

    faults: list[ServiceError] = field(default_factory=list)
    times: int = 0
    at: float = 100.0
    error: Exception | None = None
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def find(self) -> list[ServiceError]:
        self.times += 1
        await self.goes_on.wait()
        if self.error is not None:
            raise self.error
        return self.faults

    def open(self) -> Probe:
        return Probe(self.find, lambda: self.at)


async def test_callers_of_one_moment_share_a_probe() -> None:
    looking = Looking([StoreUnavailable("away")])
    probe = looking.open()
    waiting = [asyncio.create_task(probe.find_faults()) for _caller in range(CALLERS)]
    await asyncio.sleep(0)
    waiting[0].cancel()  # one that goes takes nothing from the others
    looking.goes_on.set()
    found = await asyncio.gather(*waiting[1:])
    assert looking.times == 1
    assert [[one.message for one in faults] for faults in found] == [["away"]] * (CALLERS - 1)
    assert len({id(one) for faults in found for one in faults}) == CALLERS - 1
    looking.faults = []
    looking.at += 0.99
    assert len(await probe.find_faults()) == 1
    looking.at += 0.02
    assert await probe.find_faults() == []
    assert looking.times == 2


async def test_a_store_that_is_gone_is_seen_after_a_moment() -> None:
    """However many ask all the time: what they ask does not make an earlier answer last."""
    looking = Looking()
    looking.goes_on.set()
    probe = looking.open()
    assert await probe.find_faults() == []
    looking.faults = [StoreUnavailable("away")]
    for _caller in range(9):
        looking.at += 0.1
        assert await probe.find_faults() == []
    looking.at += 0.11
    (fault,) = await probe.find_faults()
    assert isinstance(fault, StoreUnavailable)


async def test_a_probe_counts_from_its_beginning_and_survives_a_fault_of_ours() -> None:
    looking = Looking()
    probe = looking.open()
    slow = asyncio.create_task(probe.find_faults())
    await asyncio.sleep(0)
    looking.at += 5
    looking.goes_on.set()
    assert await slow == []
    looking.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await probe.find_faults()
    looking.error = None
    assert await probe.find_faults() == []
