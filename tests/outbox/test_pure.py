"""Signatures, waits, addresses, lanes and the intake: tables, and what holds of all of them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import StoreUnavailable
from runtime.identity.realms.realms import Realm
from runtime.outbox import sender as sender_module
from runtime.outbox.address import fault_of_address
from runtime.outbox.intake import Intake
from runtime.outbox.lanes import Lanes
from runtime.outbox.outcome import MOST_SECONDS, choose_delay, read_retry_after
from runtime.outbox.pausing import is_on
from runtime.outbox.queue import Queue, Settled
from runtime.outbox.sender import Sender
from runtime.outbox.settling import Settling
from runtime.outbox.signing import PREFIX, create_secret, sign
from runtime.system.documents import WebhookDeliveryDocument

NOW = datetime(2026, 3, 27, 4, 12, 14)


def test_the_signature_of_the_specification() -> None:
    """The example of the reference libraries of Standard Webhooks."""
    key, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert sign([key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body) == expected


@given(
    st.binary(max_size=200),
    st.integers(0, 2**33),
    st.lists(st.binary(min_size=24, max_size=64), min_size=1, max_size=2),
)
def test_each_secret_signs_alone(body: bytes, timestamp: int, keys: list[bytes]) -> None:
    secrets = [PREFIX + base64.b64encode(key).decode() for key in keys]
    found = sign(secrets, "msg_1", timestamp, body).split(" ")
    signed = f"msg_1.{timestamp}.".encode() + body
    plain = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys]
    assert found == [f"v1,{one}" for one in plain]


def test_secrets_are_new_and_long_enough() -> None:
    made = {create_secret() for _ in range(100)}
    assert len(made) == 100
    for secret in made:
        assert secret.startswith("whsec_")
        assert 24 <= len(base64.b64decode(secret.removeprefix("whsec_"))) <= 64


@given(st.integers(1, 10_000), st.floats(0.1, 3600), st.floats(0, 1), st.none() | st.floats(0, 86400))
def test_waits_grow_stay_bounded_and_heed_the_receiver(
    attempts: int, first: float, draw: float, requested: float | None
) -> None:
    wait = choose_delay(attempts, first, draw, requested)
    assert wait >= (requested or 0.0)
    assert min(first, MOST_SECONDS) / 2 <= wait <= max(MOST_SECONDS, requested or 0.0)
    assert choose_delay(attempts + 1, first, draw, requested) >= wait


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("999999999999999999999", 86400.0),
        (format_datetime((NOW + timedelta(seconds=90)).replace(tzinfo=UTC), usegmt=True), 90.0),
        (format_datetime((NOW - timedelta(days=9)).replace(tzinfo=UTC), usegmt=True), 0.0),
        ("Fri, 27 Mar 2026 04:13:14 -0000", 60.0),
        (None, None),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("١٢", None),
        ("1e3", None),
        ("x" * 10_000, None),
        ("1 Jan 2026 99999999999999999999:00:00 +0000", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert read_retry_after(value, NOW) == seconds


@given(st.text(max_size=60))
def test_no_header_breaks_it(value: str) -> None:
    found = read_retry_after(value, NOW)
    assert found is None or 0 <= found <= 86400


PUBLIC = [
    "https://app.example/hooks",
    "https://app.example:8443/a?b=c%20d",
    "https://93.184.216.34/x",
    "https://[2606:4700::1111]/",
    "https://0x7f.app.example/",
]
PRIVATE = [
    "https://127.0.0.1/", "https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://10.0.0.1/",
    "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://[fe80::1]/",
    "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://0.0.0.0/", "https://0/", "https://2130706433/",
    "https://127.1/", "https://100.64.0.1/", "https://metadata.google.internal/", "https://printer.local/",
    "https://0x7f000001/", "https://0X7F.1/", "https://127.0.0.0x1/", "https://127.0.0.1./", "https://0177.0.0.1/",
    "https://[::ffff:7f00:1]/", "http://app.example/",
]  # fmt: skip
WRONG = [
    "", "app.example", "//app.example/", "ftp://app.example/", "file:///etc/passwd", "gopher://app.example/",
    "https://", "https:///x", "https://user@app.example/", "https://user:pass@app.example/", "https://@app.example/",
    "https://app.example/#x", "https://app.example:x/", "https://app.example:99999/", "https://[::1/", "javascript:1",
    "https://app.example/\r\nX: y", "https://app.example/ x", "https://app.example\\@127.0.0.1/", "https://ä.example/",
    "https://app.example/\x00", "\thttps://app.example/", "https://app.example\t/",
    "https://app.example:0/", "https://%31%32%37.0.0.1/", "https://[fe80::1%25eth0]/",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert fault_of_address(address, allows_private=False) is None
    assert fault_of_address(address, allows_private=True) is None


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_take_a_setting(address: str) -> None:
    assert fault_of_address(address, allows_private=False)
    assert fault_of_address(address, allows_private=True) is None


@pytest.mark.parametrize("address", WRONG)
def test_what_is_no_address_of_a_webhook(address: str) -> None:
    assert fault_of_address(address, allows_private=False)
    assert fault_of_address(address, allows_private=True)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.booleans(), st.sampled_from([0.01, 5.0])),
        max_size=200,
    )
)
def test_no_webhook_and_no_tenant_has_more_than_its_share(steps: list[tuple[int, int, bool, float]]) -> None:
    lanes, taken = Lanes(16), list[tuple[str, str]]()
    for webhook, tenant, is_good, seconds in steps:
        name = f"{tenant}-{webhook}"
        if lanes.enter(name, str(tenant)):
            assert name not in lanes.busy.webhooks or len([one for one in taken if one[0] == name]) < 4
            taken.append((name, str(tenant)))
        elif taken:
            lanes.give_back(*taken.pop(0))
        lanes.learn(name, is_good=is_good, seconds=seconds)
        assert lanes.free == 16 - len(taken) >= 0
        for one in range(3):
            assert len([place for place in taken if place[1] == str(one)]) <= 4
    for place in taken:
        lanes.give_back(*place)
    assert lanes.free == 16
    assert lanes.busy == (set(), set())


def test_a_slow_receiver_gets_one_lane_and_earns_them_back() -> None:
    lanes = Lanes(64)
    for _ in range(5):
        lanes.learn("slow", is_good=True, seconds=3.0)
    assert lanes.enter("slow", "acme")
    assert not lanes.enter("slow", "acme")
    assert "slow" in lanes.busy.webhooks
    assert lanes.enter("other", "acme")
    lanes.give_back("slow", "acme")
    for _ in range(20):
        lanes.learn("slow", is_good=True, seconds=0.01)
    assert [lanes.enter("slow", "acme") for _ in range(16)] == [True] * 15 + [False], "other has one"


@given(
    st.integers(0, 8),
    st.lists(st.tuples(st.lists(st.integers(0, 2), max_size=6), st.booleans(), st.booleans())),
)
def test_no_more_is_claimed_than_there_is_room_for(
    room: int, writes: list[tuple[list[int], bool, bool]]
) -> None:
    """``writes``: their webhooks, whether they are stored in the end, whether the sender then has a round."""
    intake, waiting = Intake(timedelta(seconds=20)), list[str]()
    intake.room = lambda webhook, _tenant: room if webhook != "2" else 0
    for at, (webhooks, is_stored, is_round) in enumerate(writes):
        rows: list[Any] = [
            {
                "_id": f"{at} {number}",
                "webhookId": str(one),
                "holder": "",
                "dueAt": NOW,
                "dataDomain": {"tenantId": "acme"},
            }
            for number, one in enumerate(webhooks)
        ]
        intake.claim(rows)
        claimed = [row for row in rows if row["holder"]]
        assert len(waiting) + len(claimed) <= room or not claimed
        assert all(row["webhookId"] != "2" and row["dueAt"] > NOW for row in claimed)
        assert all(row["dueAt"] == NOW for row in rows if not row["holder"])
        if is_stored:
            assert intake.pass_on("acme", rows) is (len(claimed) == len(rows))
            waiting += [row["_id"] for row in claimed]
        if is_round:
            assert [row["_id"] for row in intake.collect().get("acme", [])] == waiting
            waiting = []
    intake.room = None
    rest: list[Any] = [
        {"_id": "x", "webhookId": "0", "holder": "", "dueAt": NOW, "dataDomain": {"tenantId": "acme"}}
    ]
    intake.claim(rest)
    assert rest[0]["holder"] == ""
    assert [row["_id"] for row in intake.collect().get("acme", [])] == waiting


def test_outcomes_of_all_databases_are_stored_however_busy_one_is() -> None:
    """Else the leases of the others end, and what was sent for them is sent again."""

    class BusyQueue(Queue):
        def __init__(self) -> None:
            self.stored: list[str] = []

        async def settle(self, database: str, settled: Sequence[Settled]) -> bool:
            self.stored.append(database)
            if database == "busy" and len(self.stored) < 5:
                settling.add("busy", outcome)
            return False

    async def run() -> list[str]:
        settling.add("quiet", outcome)
        settling.add("busy", outcome)
        assert settling.task is not None
        await settling.task
        return queue.stored

    outcome, queue = Settled({"webhookId": "w"}, None), BusyQueue()
    settling = Settling(queue, lambda database: None)
    assert "quiet" in asyncio.run(run())[:2]


def test_outcomes_are_stored_sooner_while_others_wait_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is as quick as its outcomes are stored; all others are stored in larger groups."""
    waits, others_wait = list[float](), [False, True, True, False, False]
    outcome, sleep = Settled({"webhookId": "w"}, None), asyncio.sleep

    class LineQueue(Queue):
        def __init__(self) -> None:
            pass

        async def settle(self, database: str, settled: Sequence[Settled]) -> bool:
            if len(waits) < len(others_wait):
                settling.add(database, outcome)
            return others_wait[len(waits) - 1]

    async def note(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    async def run() -> None:
        settling.add("acme", outcome)
        assert settling.task is not None
        await settling.task

    settling = Settling(LineQueue(), lambda database: None)
    with monkeypatch.context() as patched:
        patched.setattr("runtime.outbox.settling.asyncio.sleep", note)
        asyncio.run(run())
    usual, sooner = waits[0], min(waits)
    assert sooner < usual
    assert waits == [usual, usual, sooner, sooner, usual]


class RealmsSender(Sender):
    """Looks at two realms, of which the first refuses to be written to."""

    def __init__(self, fault: Exception, default_realm: str = "") -> None:
        settings = SimpleNamespace(webhook_seconds=1.0, webhook_connections=8, default_realm=default_realm)
        outbox: Any = SimpleNamespace(
            intake=Intake(timedelta(seconds=9)), woken=set(), wake=lambda database: None
        )
        service: Any = SimpleNamespace(settings=settings, store=None)
        super().__init__(service, outbox, poster=service)
        self.fault, self.sent = fault, list[str]()
        self._realms = {name: Realm(name, name) for name in ("first", "second")}
        self._looks = dict.fromkeys(self._realms, 0.0)
        self._realms_at = float("inf")
        self._outbox.intake.room = lambda webhook, tenant: 8

    def hand_over(self, database: str) -> None:
        row: WebhookDeliveryDocument = {"webhookId": "w", "dataDomain": {"tenantId": "acme"}, "holder": "us"}
        self._outbox.intake.pass_on(database, [row])

    def wake(self, database: str) -> None:
        self._outbox.woken.add(database)

    async def run_round(self) -> float:
        return await self._run_round()

    async def _send_own(self, database: str, rows: Sequence[WebhookDeliveryDocument]) -> None:
        self._touch(f"own of {database}")

    async def _look(self, realm: Realm) -> float:
        self._touch(realm.database)
        return 9.0

    def _touch(self, name: str) -> None:
        if "first" in name:
            raise self.fault
        self.sent.append(name)


@pytest.mark.parametrize("fault", [StoreUnavailable("a backup is being restored here"), ValueError("ours")])
def test_a_realm_that_cannot_be_written_to_holds_up_no_other(fault: Exception) -> None:
    sender = RealmsSender(fault)
    for name in ("first", "second"):
        sender.hand_over(name)
    assert 0 < asyncio.run(sender.run_round()) <= 0.5
    assert sender.sent == ["own of second", "second"]


def test_a_realm_is_looked_for_as_soon_as_something_is_stored_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    realms, reads = [Realm("first", "first"), Realm("third", "third", active=False)], list[int]()

    async def read(_store: object, _default: str) -> list[Realm]:
        reads.append(len(realms))
        return list(realms)

    monkeypatch.setattr(sender_module, "read_realms", read)
    sender = RealmsSender(ValueError("ours"), default_realm="first")
    asyncio.run(sender.run_round())
    assert reads == [], "it is not time"
    realms.append(Realm("new", "new"))
    for _round in range(3):
        sender.hand_over("new")
        asyncio.run(sender.run_round())
    assert (reads, sender.sent.count("own of new"), sender.sent.count("new")) == ([3], 3, 1)
    for _round in range(3):
        sender.wake("third")
        sender.wake("gone")
        asyncio.run(sender.run_round())
    assert reads == [3, 3], "a realm that is switched off is not looked for again and again"
    realms.append(Realm("newer", "newer"))
    sender.wake("newer")
    asyncio.run(sender.run_round())
    assert sender.sent[-1] == "newer"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, True, id="switched on"),
        pytest.param({"active": False}, False, id="switched off"),
        pytest.param({"active": 1}, False, id="neither on nor off"),
        pytest.param({"activeStatus": "ARCHIVED"}, False, id="archived"),
        pytest.param({"pausedReason": "GONE"}, False, id="paused"),
    ],
)
def test_what_is_sent_to(changes: dict[str, Any], expected: bool) -> None:
    webhook: Any = {"active": True, "activeStatus": "ACTIVE"} | changes
    assert is_on(webhook) is expected
