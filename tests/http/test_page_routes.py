"""``oauth: page`` and ``oauth: json``: what a handler is given, how errors look, and the headers of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Annotated
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI, Form, Query
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from runtime.contract.forms import FORM, Parameters, parse_form
from runtime.errors import MalformedRequest, StoreUnavailable, Throttled
from runtime.http import Json, RecordRouter, answer
from runtime.http.dispatch import Dispatch, RouteTable
from runtime.http.front import Front
from runtime.http.problem_response import handle_problems
from runtime.model.record import SnakeCase
from runtime.oauth.refusals import PageRefused
from runtime.seams import Seams
from runtime.storage.wire import to_json


class Visit(SnakeCase):
    visitor_name: str | None = None
    guest: list[str] | None = None


doors = RecordRouter(area="house")


def shown(body: Parameters[Visit]) -> Json[None]:
    members = [body.get("visitor_name"), body.get_all("guest"), sorted(body.repeated)]
    return Json(to_json(members), headers={"Content-Type": "text/html"})


@doors.get("/visit", errors="page")
async def show(body: Annotated[Parameters[Visit], Query()]) -> Json[None]:
    return shown(body)


@doors.post("/visit", errors="page")
async def visit(body: Annotated[Parameters[Visit], Form()]) -> Json[None]:
    match body.get("visitor_name"):
        case "moved":
            return Json(b"", 303, {"Location": "https://elsewhere.example/?a=b"})
        case "nobody":
            raise PageRefused("No <visitor>", "Nobody & nothing")
        case "often":
            raise Throttled("too many visits", retryAfter=7)
        case "fault":
            raise StoreUnavailable("the secret table is gone")
        case "bug":
            raise RuntimeError("a secret")
    return shown(body)


@doors.post("/visitors", errors="oauth")
async def register(body: Visit) -> Json[Visit]:
    return answer(Visit, {"visitor_name": body.visitor_name, "guest": body.guest}, status=201)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI(redirect_slashes=False)
    app.add_middleware(Dispatch, outer=app, table=RouteTable([doors]))
    handle_problems(app)
    settings = SimpleNamespace(max_small_body_bytes=2000, max_body_bytes=2000, max_body_values=100)
    app.state.service = SimpleNamespace(
        seams=Seams(), settings=settings, catalog=SimpleNamespace(of_input=lambda _model: None)
    )
    with TestClient(Front(app), follow_redirects=False) as opened:
        yield opened


GIVEN = [
    ("", [None, [], []]),
    ("visitor_name=Ann", ["Ann", [], []]),
    ("visitor_name=", [None, [], []]),
    ("visitor_name=a+b%20c%26&guest=%C3%A9", ["a b c&", ["é"], []]),
    ("guest=1&guest=&guest=2", [None, ["1", "2"], []]),
    ("colour=red&visitor_name=Ann", ["Ann", [], []]),
    ("visitor_name=Ann&visitor_name=Bob", ["Ann", [], ["visitor_name"]]),
    ("visitor_name=Ann&visitor_name=", ["Ann", [], ["visitor_name"]]),
    ("colour=red&colour=blue", [None, [], ["colour"]]),
    ("visitorName=Ann", [None, [], []]),
]


@pytest.mark.parametrize(("text", "expected"), GIVEN)
def test_a_page_gets_its_parameters_from_query_and_form(
    client: TestClient, text: str, expected: object
) -> None:
    got = client.get(f"/visit?{text}")
    posted = client.post("/visit", content=text, headers={"Content-Type": FORM})
    for response in (got, posted):
        assert response.status_code == 200
        assert response.json() == expected


HEADERS = {
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

FAILED = [
    ("visitor_name=nobody", FORM, 400, "No &lt;visitor&gt;"),
    ("visitor_name=often", FORM, 429, "too many visits"),
    ("visitor_name=fault", FORM, 503, "try again"),
    ("visitor_name=bug", FORM, 500, "try again"),
    ("visitor_name=%", FORM, 400, "begins no escape"),
    ("visitor_name=%FF", FORM, 400, "the request is not in UTF-8"),
    ("visitor_name", FORM, 400, "a parameter without =: write name=value"),
    ("visitor_name=a&guest", FORM, 400, "one &amp; between two"),
    ("&".join(f"p{number}=1" for number in range(101)), FORM, 400, "more than 100 parameters"),
    ("visitor_name=" + "x" * 2000, FORM, 413, "at most 2000 bytes"),
    ("{}", "application/json", 415, "send application/x-www-form-urlencoded"),
]


@pytest.mark.parametrize(("text", "media_type", "status", "words"), FAILED)
def test_what_fails_is_a_page(
    client: TestClient, text: str, media_type: str, status: int, words: str
) -> None:
    response = client.post("/visit", content=text, headers={"Content-Type": media_type})
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert HEADERS.items() <= dict(response.headers).items()
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert words in response.text
    assert "secret" not in response.text
    assert "location" not in response.headers
    assert ("retry-after" in response.headers) == (status in (429, 503))


@pytest.mark.parametrize("method", ["PUT", "HEAD"])
def test_another_method_is_a_page_too(client: TestClient, method: str) -> None:
    response = client.request(method, "/visit")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, POST"
    assert response.headers["content-type"].startswith("text/html")


def test_pages_and_redirects_have_the_headers(client: TestClient) -> None:
    moved = client.post("/visit", content="visitor_name=moved", headers={"Content-Type": FORM})
    assert moved.status_code == 303
    assert moved.headers["location"] == "https://elsewhere.example/?a=b"
    for response in (moved, client.get("/visit")):
        assert HEADERS.items() <= dict(response.headers).items()
        assert not [name for name in response.headers if name.startswith("access-control-")]


def test_a_parameter_of_another_name_is_a_mistake_of_the_handler() -> None:
    parameters = Parameters.read(Visit, [("visitor_name", "Ann"), ("colour", "red")])
    with pytest.raises(KeyError):
        parameters.get("colour")


@pytest.mark.parametrize("text", [b"a", b"a=%GG", b"a=%", b"a=\xff", b"a=%C3", b"a=b&c"])
def test_what_is_no_form(text: bytes) -> None:
    with pytest.raises(MalformedRequest):
        parse_form(text)


@pytest.mark.parametrize("text", [b"a=b&", b"&a=b", b"a=b&&", b"&"])
def test_empty_pairs_are_left_out(text: bytes) -> None:
    """As the URL standard and many libraries do."""
    assert parse_form(text) == ([] if text == b"&" else [("a", "b")])


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(max_size=8)), max_size=8))
def test_a_form_is_read_as_it_was_written(pairs: list[tuple[str, str]]) -> None:
    assert parse_form(urlencode(pairs).encode()) == pairs


@given(
    st.lists(st.tuples(st.sampled_from(["visitor_name", "guest", "colour"]), st.sampled_from(["", "a", "b"])))
)
def test_of_parameters_nothing_is_lost_that_is_known(pairs: list[tuple[str, str]]) -> None:
    found = Parameters.read(Visit, pairs)
    sent = [name for name, _value in pairs]
    assert found.repeated == {name for name in sent if sent.count(name) > 1 and name != "guest"}
    for name in ("visitor_name", "guest"):
        values = [value for own, value in pairs if own == name and value]
        assert found.get_all(name) == values
        assert found.get(name) == (values[0] if values else None)
    assert found.narrow(Visit) == found


JSON = [
    ('{"visitor_name": "Ann", "guest": ["Bob"]}', 201, {"visitor_name": "Ann", "guest": ["Bob"]}),
    (
        '{"visitor_name": "Ann", "colour": {"red": 1}, "visitor_name#fr": "Anne"}',
        201,
        {"visitor_name": "Ann"},
    ),
    ('{"visitor_name": 5}', 400, "visitor_name: Input should be a valid string"),
    ('{"visitor_name": "a", "visitor_name": "b"}', 400, "visitor_name"),
    ("[]", 400, "the body is not a JSON object"),
    ("{", 400, "the body is not JSON"),
    ("", 400, "the body is empty"),
]


@pytest.mark.parametrize(("body", "status", "expected"), JSON)
def test_json_of_oauth(client: TestClient, body: str, status: int, expected: object) -> None:
    response = client.post("/visitors", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == status, response.text
    assert response.headers["cache-control"] == "no-store"
    found = response.json()
    if status == 201:
        assert found == expected
    else:
        assert found["error"] == "invalid_request"
        assert str(expected) in found["error_description"]


def test_a_form_is_no_json(client: TestClient) -> None:
    response = client.post("/visitors", content="visitor_name=Ann", headers={"Content-Type": FORM})
    assert (response.status_code, response.json()["error"]) == (415, "invalid_request")
