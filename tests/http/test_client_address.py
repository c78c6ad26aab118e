"""Whose address counts behind proxies: that of the last one whom no trusted proxy speaks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.http.client_address import Origin, TrustedProxies
from tests.http.world import PASSWORD, Document, World, open_world

PROXIES = TrustedProxies([ip_network("10.0.0.0/8"), ip_network("fd00::/8")])
PEER = "10.0.0.1"
ME = "203.0.113.5"


def address(*headers: tuple[str, str], peer: str = PEER) -> str:
    return PROXIES.origin(peer, [(name.encode(), value.encode("utf-8")) for name, value in headers]).address


def listed(*values: str) -> list[tuple[str, str]]:
    return [("x-forwarded-for", value) for value in values]


def forwarded(*values: str) -> list[tuple[str, str]]:
    return [("forwarded", value) for value in values]


FOUND: dict[str, tuple[list[tuple[str, str]], str]] = {
    "one": (listed(ME), ME),
    "with a port": (listed(f"{ME}:4711"), ME),
    "IPv6": (listed("2001:db8::1"), "2001:db8::1"),
    "IPv6 in brackets": (listed("[2001:db8::1]"), "2001:db8::1"),
    "IPv6 with a port": (listed("[2001:db8::1]:4711"), "2001:db8::1"),
    "IPv6 as written by others": (listed("2001:0DB8:0:0::1"), "2001:db8::1"),
    "IPv4 within IPv6": (listed(f"::ffff:{ME}"), ME),
    "behind another proxy": (listed(f"{ME}, 10.9.9.9"), ME),
    "behind a proxy of IPv6": (listed(f"{ME}, fd12::1"), ME),
    "what the caller sent is not read": (listed(f"192.0.2.1, {ME}"), ME),
    "nor nonsense": (listed(f"' or 1=1, unknown, {ME}"), ME),
    "nor a proxy's address": (listed(f"10.9.9.9, {ME}"), ME),
    "in several headers": (listed("192.0.2.1", ME, "10.9.9.9"), ME),
    "the last of many": (listed(*["192.0.2.1"] * 180, ME), ME),
    "the last of a long one": (listed("192.0.2.1," * 5000 + ME), ME),
    "all are proxies": (listed("10.1.1.1, 10.2.2.2"), "10.1.1.1"),
    "empty elements": (listed(f", {ME} ,, "), ME),
    "Forwarded": (forwarded(f"for={ME}"), ME),
    "Forwarded with more": (forwarded(f"by=10.0.0.1;For={ME};proto=https;host=a"), ME),
    "Forwarded, quoted": (forwarded(f'for="{ME}:4711"'), ME),
    "Forwarded, a hidden port": (forwarded(f'for="{ME}:_p0"'), ME),
    "Forwarded, quoted pairs": (forwarded('for="\\203.0.113.5"'), ME),
    "Forwarded, IPv6": (forwarded('for="[2001:db8::1]:4711"'), "2001:db8::1"),
    "Forwarded, several": (forwarded(f"for=192.0.2.1, for={ME};proto=http, for=10.1.1.1"), ME),
    "Forwarded, commas in quotes": (forwarded(f'for="a,b;c=\\"", for={ME}'), ME),
    "Forwarded in several headers": (forwarded("for=192.0.2.1", f"for={ME}", "for=10.1.1.1"), ME),
    "Forwarded, nonsense of a caller's own header": (forwarded('for="broken', f"for={ME}"), ME),
    "Forwarded, unknown on the left": (forwarded(f"for=unknown, for=_hidden, for={ME}"), ME),
    "Forwarded without for says nothing": ([*forwarded("proto=https"), *listed(ME)], ME),
    "both agree": ([*forwarded(f"for={ME}"), *listed(f"192.0.2.1, {ME}")], ME),
    "both agree, spelled otherwise": (
        [*forwarded('for="[2001:DB8::1]"'), *listed("2001:db8:0::1")], "2001:db8::1",
    ),
}  # fmt: skip

UNKNOWN: dict[str, list[tuple[str, str]]] = {
    "no header": [],
    "an empty one": listed(""),
    "only blanks and commas": listed(" , ,"),
    "both disagree": [*forwarded("for=192.0.2.1"), *listed(ME)],
    "one is broken": [*forwarded("for=,,;=x"), *listed(ME)],
    "the other is broken": [*forwarded(f"for={ME}"), *listed("x")],
    "unknown": forwarded("for=unknown"),
    "hidden": forwarded("for=_hidden"),
    "hidden behind a proxy": forwarded(f"for={ME}, for=_hidden, for=10.1.1.1"),
    "no for behind a proxy": forwarded(f"for={ME}, proto=https, for=10.1.1.1"),
    "for twice": forwarded(f"for={ME};for=192.0.2.1"),
    "an open quote": forwarded(f'for="{ME}'),
    "a quote that takes in what the proxy said": forwarded(f'for="x, for={ME}'),
    "a quote that a proxy's closes": forwarded('for="x, for="[2001:db8::1]"'),
    "IPv6 without brackets": forwarded('for="2001:db8::1"'),
    "no pair": forwarded(ME),
    "blanks around =": forwarded(f"for = {ME}"),
    "too long": forwarded(f"for={ME}," * 300),
    "a name": listed("proxy.example"),
    "unknown in a list": listed(f"{ME}, unknown"),
    "a number": listed("3405803781"),
    "hexadecimal": listed("0xcb007105"),
    "leading zeros": listed("203.000.113.005"),
    "three parts": listed("203.0.113"),
    "too large": listed("203.0.113.256"),
    "a long port": listed(f"{ME}:123456"),
    "a zone": listed("fe80::1%eth0"),
    "quoted": listed(f'"{ME}"'),
    "beyond ASCII": listed("२०३.0.113.5"),
    "a line end": listed(f"{ME}\n"),
    "more proxies than anybody has": listed(f"{ME}," + "10.1.1.1," * 40),
}  # fmt: skip


@pytest.mark.parametrize(("headers", "found"), FOUND.values(), ids=FOUND.keys())
def test_the_last_address_that_is_no_proxy_counts(headers: list[tuple[str, str]], found: str) -> None:
    assert address(*headers) == found


@pytest.mark.parametrize("headers", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_cannot_be_known_leaves_the_peer(headers: list[tuple[str, str]]) -> None:
    assert address(*headers) == PEER


@pytest.mark.parametrize(
    "peer", ["203.0.113.9", "2001:db8::9", "testclient", "", "::ffff:203.0.113.9", "11.0.0.1"]
)
@pytest.mark.parametrize(
    "headers", [listed(ME), forwarded(f"for={ME};proto=https")], ids=["list", "Forwarded"]
)
def test_nobody_else_is_believed(peer: str, headers: list[tuple[str, str]]) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    assert PROXIES.origin(peer, raw) == Origin(peer)


@pytest.mark.parametrize("peer", ["10.0.0.1", "::ffff:10.0.0.1", "fd00::1", "fd00::1%eth0"])
def test_a_proxy_is_known_however_it_is_spelled(peer: str) -> None:
    assert address(*listed(ME), peer=peer) == ME


@pytest.mark.parametrize(
    ("headers", "is_https"),
    [
        ([("x-forwarded-proto", "https")], True),
        ([("x-forwarded-proto", "HTTPS ")], True),
        ([("x-forwarded-proto", "http, https")], True),
        ([("x-forwarded-proto", "https, http")], False),
        ([("x-forwarded-proto", "https"), ("x-forwarded-proto", "http")], False),
        ([("x-forwarded-proto", "httpsx")], False),
        (forwarded("for=203.0.113.5;proto=https"), True),
        (forwarded("for=203.0.113.5;proto=https, for=10.1.1.1;proto=http"), False),
        (forwarded("proto=https;"), True),
        (forwarded('proto="https'), False),
        ([], False),
    ],
)
def test_https_is_what_the_nearest_proxy_says(headers: list[tuple[str, str]], is_https: bool) -> None:
    assert (
        PROXIES.origin(PEER, [(name.encode(), value.encode()) for name, value in headers]).is_https
        is is_https
    )


PIECES = st.sampled_from(
    ["for=", "192.0.2.1", "10.1.1.1", "203.0.113.7", '"', ",", ";", " ", "\\", "[", "]", "::1", "unknown", "_x", "proto=http", "é"]
)  # fmt: skip


@given(
    prefix=st.lists(PIECES, max_size=12).map("".join), name=st.sampled_from(["forwarded", "x-forwarded-for"])
)
def test_whatever_a_caller_sends_first_it_is_itself_or_the_peer(prefix: str, name: str) -> None:
    """The proxy appends to the caller's own header: the caller is found, or is counted with the peer."""
    appended = f"for={ME}" if name == "forwarded" else ME
    assert address((name, f"{prefix}, {appended}")) in (ME, PEER)
    assert address((name, prefix), (name, appended)) == ME


@pytest.fixture(scope="module")
def behind(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    options: dict[str, Any] = {"trusted_proxies": "10.0.0.0/8", "login_failures": 3, "log_level": "INFO"}
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, **options) as world:
        yield world


class TestTheService:
    @pytest.fixture(autouse=True)
    def _through_a_proxy(self, behind: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(behind, "peer", ("10.0.0.1", 5000))

    def fail(self, behind: World, user: str, seen_from: str) -> int:
        body = {"userId": user, "password": "wrong horse battery"}
        headers = {"X-Forwarded-For": seen_from}
        return int(behind.ask("POST /security/login", None, json=body, headers=headers).status_code)

    def test_wrong_logins_of_one_caller_lock_nobody_else_out(self, behind: World) -> None:
        answers = [self.fail(behind, f"user-{n}", ME) for n in range(4)]
        assert answers == [401, 401, 401, 429]
        body = {"userId": "user@acme.example", "password": PASSWORD}
        other = behind.ask(
            "POST /security/login", None, json=body, headers={"X-Forwarded-For": "203.0.113.6"}
        )
        assert other.status_code == 200

    def test_a_caller_cannot_pass_for_others(self, behind: World) -> None:
        answers = [self.fail(behind, f"liar-{n}", f"192.0.2.{n}, 198.51.100.7") for n in range(4)]
        assert answers == [401, 401, 401, 429]

    def test_the_log_names_the_caller(self, behind: World, capsys: pytest.CaptureFixture[str]) -> None:
        behind.ask("GET /live", None, headers={"Forwarded": f"for={ME}", "X-Request-Id": "seen-7"})
        assert behind.client.portal is not None
        behind.client.portal.call(_flush)
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if "seen-7" in line]
        assert [line["address"] for line in lines] == [ME]


async def _flush() -> None:
    from runtime import logs

    logs._lines.flush()


def test_without_the_setting_nobody_is_believed(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, login_failures=3) as world:
        body = {"password": "wrong horse battery"}
        answers = [
            world.ask(
                "POST /security/login",
                None,
                json=body | {"userId": f"u{n}"},
                headers={"X-Forwarded-For": f"192.0.2.{n}"},
            ).status_code
            for n in range(4)
        ]
        assert answers == [401, 401, 401, 429]
