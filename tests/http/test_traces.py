"""Traces: what spans say, whose trace they belong to, and what decides that there are any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.collector import Collector, Span, collecting
from tests.http.world import Document, World, open_world

CARRIERS = "/logistics/carriers"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
RECORDED, NOT_RECORDED = f"00-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-00"
NAME, SEARCHED = "Atlantic Air Cargo", "Nobody Ever Logs This"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


class Tracing:
    """Opens services whose spans go to the collector, and returns those of what was asked."""

    def __init__(
        self, collector: Collector, mongo_uri: str, mongo_client: MongoClient[Document], keys: Path
    ) -> None:
        self.collector = collector
        self._store = mongo_uri, mongo_client
        self._keys = keys

    @contextmanager
    def world(self, **settings: Any) -> Iterator[World]:
        with open_world(
            *self._store, data_folder=self._keys, tracing_endpoint=self.collector.endpoint, **settings
        ) as opened:
            yield opened

    def spans_of(self, request_id: str) -> tuple[Span, list[Span]]:
        """The span of a request, and those of its commands. After the world has ended, all are here."""
        (server,) = (
            span for span in self.collector.spans if span.facts.get("recordsmith.request_id") == request_id
        )
        return server, [span for span in self.collector.spans if span.parent == server.span_id]

    def traces(self) -> set[str]:
        return {span.trace_id for span in self.collector.spans}


@pytest.fixture(scope="module")
def tracing(
    collector: Collector, mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> Tracing:
    return Tracing(collector, mongo_uri, mongo_client, key_folder)


def asked(number: str, **more: str) -> dict[str, Any]:
    return {"headers": {"X-Request-Id": number, **more}}


def test_a_request_and_its_commands_are_one_trace(
    tracing: Tracing, capfd: pytest.CaptureFixture[str]
) -> None:
    with tracing.world(tracing_ratio=1.0, log_level="INFO", log_format="json") as world:
        carrier = world.make("Carrier", name=NAME)
        capfd.readouterr()
        world.ask(f"GET {CARRIERS}/id/{carrier['id']}", **asked("a-get", traceparent=RECORDED))
        world.ask(f'GET {CARRIERS}/list?filter=name:"{SEARCHED}"', **asked("a-list"))
        world.ask(f"GET {CARRIERS}/list", None, **asked("a-stranger"))
        world.ask("GET /nowhere/at/all", None, **asked("nowhere"))
        world.ask("POST /logistics/countries", json={"code": "TT", "name": NAME})
        world.ask("POST /logistics/countries", json={"code": "TT", "name": NAME}, **asked("twice"))
        subject = world.ask("GET /security/me").json()["subject"]
        told = [world.realm, world.tokens["acme"]]
    server, commands = tracing.spans_of("a-get")
    assert (server.trace_id, server.parent, server.kind) == (TRACE, PARENT, "SPAN_KIND_SERVER")
    assert server.name == f"GET {CARRIERS}/id/{{id}}"
    assert server.facts["http.response.status_code"] == "200"
    assert not server.failed
    # The caller's credential is read again where the news of its creation comes only now.
    commands = [span for span in commands if span.name != "find credentials"]
    assert [(span.name, span.kind) for span in commands] == [("find carriers", "SPAN_KIND_CLIENT")]
    assert commands[0].facts == {
        "db.system.name": "mongodb", "db.operation.name": "find", "db.collection.name": "carriers",
    }  # fmt: skip
    server, commands = tracing.spans_of("a-list")
    assert server.trace_id != TRACE, "a trace of its own"
    assert commands
    assert tracing.spans_of("a-stranger")[0].name == "GET unauthenticated"
    assert tracing.spans_of("nowhere")[0].name == "GET other"
    server, commands = tracing.spans_of("twice")
    assert not server.failed, "a refusal is the caller's"
    assert any(span.failed and span.facts["error.type"] for span in commands)
    assert tracing.collector.services == {"Recordsmith"}
    sent = tracing.collector.bytes
    said = [NAME, SEARCHED, carrier["id"], carrier["refName"], subject, "acme", "example", *told]
    assert [word for word in said if word.encode() in sent] == []
    (line,) = (line for line in capfd.readouterr().err.splitlines() if '"request_id":"a-get"' in line)
    assert f'"trace_id":"{TRACE}"' in line


@pytest.mark.parametrize(
    "sent",
    ["", "00-0-0-01", f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01", f"ff-{TRACE}-{PARENT}-01", "\u00e9", "x" * 5000],
)  # fmt: skip
def test_what_is_no_traceparent_begins_a_trace(tracing: Tracing, sent: str) -> None:
    number = f"odd-{len(sent)}-{sent[:2].encode().hex()}-{sent[-20:-18].encode().hex()}"
    with tracing.world(tracing_ratio=1.0) as world:
        answer = world.ask("GET /live", None, headers={"X-Request-Id": number, "traceparent": sent.encode()})
        assert answer.status_code == 200
    server, _commands = tracing.spans_of(number)
    assert (server.trace_id == TRACE, server.parent) == (False, "")


def test_strangers_have_nothing_traced(tracing: Tracing) -> None:
    """With a ratio of none: not by the flag of their trace, nor by what they say of proxies."""
    before = tracing.traces()
    with tracing.world(tracing_ratio=0.0, trusted_proxies="10.0.0.0/8") as world:
        for header in ({}, {"X-Forwarded-For": "10.0.0.1"}, {"Forwarded": "for=10.0.0.1"}):
            world.ask("GET /live", None, headers={"traceparent": RECORDED, **header})
            world.ask(f"GET {CARRIERS}/list", headers={"traceparent": RECORDED, **header})
    assert tracing.traces() == before


@pytest.mark.parametrize(("flag", "is_traced"), [(RECORDED, True), (NOT_RECORDED, False)])
@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_a_trusted_proxy_decides(tracing: Tracing, flag: str, is_traced: bool, ratio: float) -> None:
    number = f"proxy-{is_traced}-{ratio}"
    with tracing.world(tracing_ratio=ratio, trusted_proxies="10.0.0.0/8") as world:
        world.peer = ("10.1.2.3", 5000)
        world.ask("GET /live", None, **asked(number, traceparent=flag))
        world.ask("GET /live", None, **asked(f"{number}-silent"))
    seen = {span.facts.get("recordsmith.request_id") for span in tracing.collector.spans}
    assert (number in seen) is is_traced
    assert (f"{number}-silent" in seen) is bool(ratio), "without a trace the ratio decides"


def test_a_collector_that_is_gone_costs_callers_nothing(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_world(
        mongo_uri,
        mongo_client,
        data_folder=key_folder,
        tracing_endpoint="http://127.0.0.1:9",
        tracing_ratio=1.0,
    ) as world:
        assert world.ask(f"GET {CARRIERS}/list").status_code == 200
