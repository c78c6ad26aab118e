"""GET {basePath}/list: paging, order, projection, filter, and what is refused."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.http.world import Document, Play, World
from tests.scenario import Scenario

LIST = "GET /logistics/shipments/list"
CARRIERS = "GET /logistics/carriers/list"


@pytest.fixture(scope="module")
def carriers(world: World) -> list[Document]:
    """Of acme: five carriers in a known order; of globex one that nobody else may see."""
    world.make("Carrier", "globex", name="Secret Line", refName="secret")
    rows = [("a", "ROAD"), ("b", "AIR"), ("c", "SEA"), ("d", "AIR"), ("e", "RAIL")]
    return [world.make("Carrier", refName=f"c-{name}", name=f"Line {name}", mode=mode) for name, mode in rows]


@pytest.fixture(scope="module")
def shipment(world: World) -> Document:
    """One shipment with a hidden value."""
    return world.make("Shipment", refName="S-1", notes="fragile", customsToken="hush-hush")


def names(page: Any) -> list[str]:
    return [row["refName"].removeprefix("c-") for row in page["rows"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", "abcde", id="all, in the order of their ids"),
        pytest.param("?limit=2", "ab", id="first page"),
        pytest.param("?skip=2&limit=2", "cd", id="second page"),
        pytest.param("?skip=4&limit=2", "e", id="last page"),
        pytest.param("?skip=5", "", id="behind the last"),
        pytest.param("?skip=2147483647", "", id="far behind the last"),
        pytest.param("?limit=1000", "abcde", id="the largest page"),
        pytest.param("?sort=-name", "edcba", id="descending"),
        pytest.param("?sort=mode,-name", "dbeac", id="two keys"),
        pytest.param("?sort=%2Bname", "abcde", id="explicitly ascending"),
        pytest.param("?sort=mode", "bdeac", id="ties by id"),
        pytest.param("?sort=dataDomain.tenantId,-refName", "edcba", id="nested field"),
        pytest.param("?sort=-id", "edcba", id="by id"),
        pytest.param("?filter=mode:AIR", "bd", id="equals"),
        pytest.param("?filter=mode:!AIR", "ace", id="not equals"),
        pytest.param("?filter=mode:^[AIR,SEA]&sort=-name", "dcb", id="in a list, sorted"),
        pytest.param("?filter=name:Line*", "abcde", id="wildcard"),
        pytest.param('?filter=name:"Line c"', "c", id="quoted"),
        pytest.param("?filter=active:true %26%26 mode:AIR", "bd", id="and"),
        pytest.param("?filter=mode:SEA || mode:RAIL", "ce", id="or"),
        pytest.param("?filter=!!(mode:AIR)", "ace", id="not"),
        pytest.param("?filter=home:~", "", id="exists"),
        pytest.param(
            "?filter=dataDomain.tenantId:globex", "", id="a foreign tenant in the filter finds nothing"
        ),
        pytest.param("?filter=refName:secret", "", id="a foreign refName finds nothing"),
        pytest.param(
            "?filter=name:~ || dataDomain.tenantId:globex", "abcde", id="an or does not leave the scope"
        ),
        pytest.param("?filter=dataDomain.ownerId:${principalId}", "abcde", id="variable"),
        pytest.param("?sort=&filter=&projection=", "abcde", id="empty texts say nothing"),
        pytest.param("?&&", "abcde", id="separators alone"),
        pytest.param("?%6cimit=2", "ab", id="name percent-encoded"),
    ],
)
@pytest.mark.usefixtures("carriers")
def test_rows(play: Play, query: str, expected: str) -> None:
    page = play(Scenario("list", CARRIERS + query, silent_on=("Secret Line",)))
    assert names(page) == list(expected)
    assert page["rowCount"] == len(expected)


@pytest.mark.usefixtures("carriers")
def test_the_envelope_says_what_was_asked(play: Play) -> None:
    page = play(Scenario("list", f"{CARRIERS}?skip=1&limit=2&sort=-name&filter=mode:AIR"))
    assert {name: value for name, value in page.items() if name != "rows"} == {
        "offset": 1,
        "limit": 2,
        "rowCount": 1,
        "filter": "mode:AIR",
        "sort": "-name",
    }
    page = play(Scenario("list", CARRIERS))
    assert page.keys() == {"offset", "limit", "rowCount", "rows"}
    assert (page["offset"], page["limit"]) == (0, 50)


def test_a_row_is_the_record(world: World, carriers: list[Document]) -> None:
    (row,) = world.ask(f"{CARRIERS}?filter=refName:c-b").json()["rows"]
    record = dict(carriers[1])
    assert record.pop("actionList") == ["VIEW", "UPDATE", "DELETE"]  # on lists only when asked for
    assert row == record


def test_a_hidden_field_is_in_no_row(play: Play, shipment: Document) -> None:
    for projection in ("", "?projection=-notes", "?projection=%2Bnotes"):
        scenario = Scenario("list", LIST + projection, silent_on=("customsToken", "hush-hush"))
        assert [row["id"] for row in play(scenario)["rows"]] == [shipment["id"]]


@pytest.mark.parametrize(
    "query",
    [
        "sort=home.entityId&projection=home.entityId",
        "filter=home.entityId:null&projection=home.entityId",
        "sort=-home.entityId&projection=refName,home.entityId",
        "sort=home.entityId&projection=home.entityId,dataDomain.tenantId",
    ],
)
@pytest.mark.usefixtures("carriers")
def test_what_is_absent_stays_so_where_an_index_has_null_for_it(play: Play, query: str) -> None:
    rows = play(Scenario("list", f"{CARRIERS}?{query}"))["rows"]
    assert len(rows) == 5
    assert all("home" not in row for row in rows)


@pytest.mark.parametrize(
    ("projection", "members"),
    [
        pytest.param("%2Bstatus", {"id", "status"}, id="include one"),
        pytest.param("status,notes", {"id", "status", "notes"}, id="include two, without signs"),
        pytest.param("%2Bid", {"id"}, id="the id alone"),
        pytest.param("customer.entityId", {"id", "customer"}, id="nested"),
        pytest.param("%2Bcustomer,-customer.entityRefName", {"id", "customer"}, id="included and carved out"),
    ],
)
@pytest.mark.usefixtures("shipment")
def test_projection_includes(play: Play, projection: str, members: set[str]) -> None:
    (row,) = play(Scenario("list", f"{LIST}?projection={projection}"))["rows"]
    assert row.keys() == members


def test_projection_reaches_into_objects(play: Play, shipment: Document) -> None:
    (row,) = play(Scenario("list", f"{LIST}?projection=customer.entityId"))["rows"]
    assert row["customer"] == {"entityId": shipment["customer"]["entityId"]}
    (row,) = play(Scenario("list", f"{LIST}?projection=%2Bcustomer,-customer.entityRefName"))["rows"]
    assert row["customer"].keys() == {"entityId", "entityType", "entityDisplayName"}
    (row,) = play(Scenario("list", f"{LIST}?projection=-auditInfo,-version,-customer"))["rows"]
    assert not row.keys() & {"auditInfo", "version", "customer"}
    assert row.keys() >= {"id", "refName", "origin", "status", "notes"}


REFUSED = [
    Scenario("limit 0", "limit=0", code="request.invalid_parameter", says=("limit",)),
    Scenario("limit -1", "limit=-1", code="request.invalid_parameter", says=("limit",)),
    Scenario("limit 1001", "limit=1001", code="request.invalid_parameter", says=("limit", "1000")),
    Scenario("limit huge", f"limit={9**30}", code="request.invalid_parameter", says=("limit",)),
    Scenario("limit endless", f"limit={'9' * 9000}", code="request.invalid_parameter", says=("limit",)),
    Scenario("limit float", "limit=1.5", code="request.invalid_parameter", says=("limit",)),
    Scenario("limit exponent", "limit=1e2", code="request.invalid_parameter"),
    Scenario("limit empty", "limit=", code="request.invalid_parameter"),
    Scenario("limit underscore", "limit=1_0", code="request.invalid_parameter"),
    Scenario("limit blank", "limit=%205", code="request.invalid_parameter"),
    Scenario("limit plus", "limit=%2B5", code="request.invalid_parameter"),
    Scenario("limit full-width digit", "limit=%EF%BC%95", code="request.invalid_parameter"),
    Scenario("limit true", "limit=true", code="request.invalid_parameter"),
    Scenario("skip -1", "skip=-1", code="request.invalid_parameter", says=("skip",)),
    Scenario("skip 2^31", "skip=2147483648", code="request.invalid_parameter", says=("skip",)),
    Scenario("skip 2^63", "skip=9223372036854775808", code="request.invalid_parameter"),
    Scenario(
        "limit twice", "limit=1&limit=2", code="request.invalid_parameter", says=("limit", "more than once")
    ),
    Scenario(
        "a filter that is too long",
        f"filter={'x' * 17_000}",
        code="request.invalid_parameter",
        says=("filter: String should have at most 16384 characters",),
    ),
    Scenario("filter twice", "filter=a:1&filter=a:1", code="request.invalid_parameter", says=("filter",)),
    Scenario(
        "unknown parameter", "lim=5", code="request.unknown_parameter", says=("lim", "did you mean limit")
    ),
    Scenario(
        "a filter cut at &&",
        "filter=a:1&&b:2",
        code="request.unknown_parameter",
        says=("b:2; write & in a value as %26",),
    ),
    Scenario(
        "offset, as answers call it",
        "limit=1&offset=5",
        code="request.unknown_parameter",
        says=("unknown parameter offset; did you mean skip?",),
    ),
    Scenario("upper case", "LIMIT=5", code="request.unknown_parameter", says=("LIMIT",)),
    Scenario("list parameter of PHP", "filter[]=a", code="request.unknown_parameter"),
    Scenario("operator as parameter", "$where=1", code="request.unknown_parameter", says=("$where",)),
    Scenario(
        "nothing but a name",
        "x",
        code="request.unknown_parameter",
        says=("unknown parameter x; the parameters are actions, count, cursor, expand, filter, ",),
    ),
    Scenario("no name", "=5", code="request.unknown_parameter"),
    Scenario("NUL as name", "%00=5", code="request.unknown_parameter"),
    Scenario("semicolon is no separator", "limit=5;skip=1", code="request.invalid_parameter"),
    Scenario("not UTF-8", "filter=%ff", code="request.invalid_parameter", says=("UTF-8",)),
    Scenario("half a surrogate pair", "filter=%ED%A0%80", code="request.invalid_parameter", says=("UTF-8",)),
    Scenario("over 100 parameters", "&".join(["limit=1"] * 101), code="request.invalid_parameter"),
    Scenario("unknown sort field", "sort=stats", code="field.unknown", says=("stats", "did you mean status")),
    Scenario("sort by a list", "sort=lines", code="request.invalid_parameter", says=("lines",)),
    Scenario("sort by an operator", "sort=$natural", code="field.unknown"),
    Scenario(
        "nine sort keys",
        "sort=id,refName,displayName,status,version,notes,weightKg,departsAt,arrivesAt",
        code="request.invalid_parameter",
        says=("8",),
    ),
    Scenario("same sort key twice", "sort=status,-status", code="request.invalid_parameter", says=("twice",)),
    Scenario("endless sort", f"sort={'a' * 1025}", code="request.invalid_parameter", says=("sort",)),
    Scenario(
        "unknown projection field", "projection=%2Bstats", code="field.unknown", says=("did you mean status",)
    ),
    Scenario("projection without id", "projection=-id", code="request.invalid_parameter", says=("id",)),
    Scenario("projection of an expression", "projection=$status", code="field.unknown"),
    Scenario(
        "unknown filter field", "filter=stats:BOOKED", code="field.unknown", says=("did you mean status",)
    ),
    Scenario("filter cut short", "filter=status:", code="filter.syntax", has={"column": 8}),
    Scenario("filter is JSON", 'filter={"$where":"1"}', code="filter.syntax"),
    Scenario("operator as filter field", "filter=$where:1", code="filter.syntax"),
    Scenario("filter value of another type", "filter=weightKg:heavy", code="filter.type", says=("weightKg",)),
    Scenario("impossible date", "filter=departsAt:2026-02-30", code="filter.type"),
    Scenario("malformed id in a filter", "filter=id:xyz", code="filter.type", says=("24",)),
    Scenario("unknown variable", "filter=status:${nobody}", code="filter.syntax", says=("nobody",)),
    Scenario(
        "filter nested too deep",
        f"filter={'(' * 40}status:BOOKED{')' * 40}",
        code="filter.syntax",
        says=("32",),
    ),
    Scenario("filter over 16 KiB", f"filter=status:{'x' * 16400}", code="request.invalid_parameter"),
    Scenario(
        "hidden field in filter",
        "filter=customsToken:hush*",
        code="field.unknown",
        says=("did you mean customer",),
    ),
    Scenario("hidden field in an or", "filter=status:BOOKED || customsToken:~", code="field.unknown"),
    Scenario(
        "hidden field in sort", "sort=customsToken", code="field.unknown", says=("did you mean customer",)
    ),
    Scenario("hidden field in projection", "projection=%2BcustomsToken", code="field.unknown"),
    Scenario("hidden field carved out", "projection=-customsToken", code="field.unknown"),
]


@pytest.mark.parametrize("scenario", REFUSED, ids=str)
@pytest.mark.usefixtures("shipment")
def test_refused(play: Play, scenario: Scenario) -> None:
    """The ``request`` of these scenarios is the query alone; all are 400 and none says what is stored."""
    values = {name: getattr(scenario, name) for name in ("code", "has", "says")}
    silent = ("hush-hush", "S-1", "Traceback", "pymongo", "pydantic")
    play(Scenario(scenario.name, f"{LIST}?{scenario.request}", status=400, silent_on=silent, **values))


def test_hidden_and_unknown_fields_are_refused_alike(world: World, shipment: Document) -> None:
    def refusal(field: str) -> str:
        answer = world.ask(f"{LIST}?sort={field}")
        return str(answer.json()["detail"]).partition(";")[0].replace(field, "FIELD")

    assert refusal("customsToken") == refusal("customsTokem") == "Shipment has no field FIELD"


def test_no_tokens_no_rows(play: Play) -> None:
    play(Scenario("nobody", LIST, user=None, status=401, code="access.unauthenticated", lacks=("rows",)))
    play(Scenario("wrong role", LIST, user="acme-nobody", status=403, code="access.denied", lacks=("rows",)))


def test_a_query_of_raw_bytes_is_refused(world: World) -> None:
    """What no client library would send: bytes beyond ASCII, unescaped."""
    status, _headers, body = world.ask_raw(
        "GET", "/logistics/shipments/list", query=b"filter=status:\xff\xfe"
    )
    assert (status, body["code"]) == (400, "request.invalid_parameter")


@pytest.mark.parametrize("text", ["status:BOOKED", 'notes:"a & b = c + d % e"', "notes:día*"])
@pytest.mark.usefixtures("shipment")
def test_the_filter_comes_back_as_it_was_sent(play: Play, text: str) -> None:
    play(Scenario("echo", f"{LIST}?filter={quote(text)}", has={"filter": text}))
