"""Where browsers may be sent: what is registered, to the character, and a loopback port for native clients."""

from __future__ import annotations

import string
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.client import Client
from runtime.oauth.authorize.redirect_uris import find_logout_target, find_target

CALLBACK = "https://app.example/callback"
WEB = Client("1", "main", "web", redirect_uris=(CALLBACK, "https://app.example/other?tenant=a%20b"))
NATIVE = Client(
    "2", "main", "native", is_public=True, is_native=True,
    redirect_uris=("http://127.0.0.1/cb", "http://[::1]:5000/cb?x=1", "http://localhost:8000/cb", "com.example.app:/cb"),
)  # fmt: skip


@pytest.mark.parametrize("uri", [CALLBACK, "https://app.example/other?tenant=a%20b"])
def test_what_is_registered(uri: str) -> None:
    found = find_target(WEB, uri)
    assert found is not None
    assert found.uri == uri
    assert not found.is_on_device


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "https://app.example/callbac",
        "https://app.example/callback/",
        "https://app.example/callback?",
        "https://app.example/callback?x=1",
        "https://app.example/callback#",
        "https://app.example/callback#code",
        "https://app.example/Callback",
        "HTTPS://app.example/callback",
        "https://APP.example/callback",
        "https://app.example:443/callback",
        "https://app.example./callback",
        "https://app.example/x/../callback",
        "https://app.example/./callback",
        "https://app.example//callback",
        "https://app.example/%63allback",
        "https://app.example\\@evil.example/callback",
        "https://user@app.example/callback",
        "https://app.example@evil.example/callback",
        "https://app.example.evil.example/callback",
        "https://evil.example/?https://app.example/callback",
        "https://evil.example/callback",
        "http://app.example/callback",
        "//app.example/callback",
        "/callback",
        "javascript:alert(1)",
        " https://app.example/callback",
        "https://app.example/callback ",
        "https://app.example/callback\r\nSet-Cookie: a=b",
        "https://app.example/callback\x00",
        "https://app.example/other?tenant=a+b",
        "https://app.example/other?tenant=a b",
        "http://127.0.0.1/cb",
    ],
)
def test_what_is_not(uri: str) -> None:
    assert find_target(WEB, uri) is None


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1/cb",
        "http://127.0.0.1:1/cb",
        "http://127.0.0.1:65535/cb",
        "http://[::1]/cb?x=1",
        "http://[::1]:61000/cb?x=1",
        "http://localhost:8000/cb",
        "com.example.app:/cb",
    ],
)
def test_a_native_client_chooses_its_port(uri: str) -> None:
    found = find_target(NATIVE, uri)
    assert found is not None
    assert found.uri == uri
    assert found.is_on_device


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:65536/cb",
        "http://127.0.0.1:/cb",
        "http://127.0.0.1:80@evil.example/cb",
        "http://127.0.0.1:８０/cb",
        "http://127.0.0.2:80/cb",
        "http://127.0.0.1.evil.example:80/cb",
        "http://127.1:80/cb",
        "http://0x7f.0.0.1/cb",
        "http://2130706433/cb",
        "http://[::1]:5000/cb",
        "http://[0:0:0:0:0:0:0:1]:5000/cb?x=1",
        "http://[::ffff:127.0.0.1]:5000/cb",
        "http://127.0.0.1:5000/other",
        "http://127.0.0.1:5000/cb?x=1",
        "http://127.0.0.1:5000/cb/../cb",
        "https://127.0.0.1:5000/cb",
        "http://localhost/cb",
        "http://localhost:8001/cb",
        "com.example.app:/cb2",
        "com.example.other:/cb",
    ],
)
def test_and_nothing_else(uri: str) -> None:
    assert find_target(NATIVE, uri) is None


@pytest.mark.parametrize("changes", [{"is_public": False}, {"is_native": False}])
def test_only_public_native_clients_choose_one(changes: dict[str, bool]) -> None:
    client = replace(NATIVE, **changes)
    assert find_target(client, "http://127.0.0.1/cb") is not None
    assert find_target(client, "http://127.0.0.1:5000/cb") is None


@pytest.mark.parametrize(
    "uri", ["javascript:alert(1)", "JavaScript:x()", "data:text/html,x", "vbscript:x", "file:/etc", "blob:x"]
)
def test_what_runs_in_a_browser_is_no_target_though_it_were_registered(uri: str) -> None:
    assert find_target(replace(WEB, redirect_uris=(uri,)), uri) is None
    assert find_logout_target(replace(WEB, post_logout_redirect_uris=(uri,)), uri) is None


@pytest.mark.parametrize(
    "uri", ["https://app.example/ä", "https://app.example/\n", "callback", "https:", "https://a#b"]
)
def test_what_is_no_uri_is_no_target_though_it_were_registered(uri: str) -> None:
    assert find_target(replace(WEB, redirect_uris=(uri,)), uri) is None
    assert find_logout_target(replace(WEB, post_logout_redirect_uris=(uri,)), uri) is None


PIECES = st.sampled_from(
    [
        "http://",
        "https://",
        "127.0.0.1",
        "[::1]",
        "localhost",
        "app.example",
        ":",
        "/",
        "cb",
        "callback",
        "?",
        "x=1",
        "#",
        "@",
        "\\",
        "..",
        "%2e",
        ".",
        "5000",
        "&",
        "//",
        "80",
        "com.example.app:",
        "evil.example",
    ]
)
URIS = st.one_of(
    st.text(string.printable, max_size=40),
    st.lists(PIECES, max_size=9).map("".join),
    st.sampled_from(NATIVE.redirect_uris),
)


@given(URIS)
def test_nothing_else_ever_matches(uri: str) -> None:
    """By another way of reading: the parts of the URI, as a browser sees them."""
    assert (find_target(WEB, uri) is not None) == (uri in WEB.redirect_uris)
    if find_target(NATIVE, uri) is None or uri in NATIVE.redirect_uris:
        return
    parts = urlsplit(uri)
    allowed = {("127.0.0.1", "/cb", ""), ("::1", "/cb", "x=1")}
    assert (parts.hostname, parts.path, parts.query) in allowed
    assert (parts.scheme, parts.fragment, parts.username, parts.password) == ("http", "", None, None)
    assert parts.port is None or 0 < parts.port < 65536


@given(st.integers(1, 65535))
def test_any_port_matches(port: int) -> None:
    assert find_target(NATIVE, f"http://127.0.0.1:{port}/cb") is not None
