"""GET {basePath}/entityref: the records of a list as references to them, without an envelope."""

from __future__ import annotations

import pytest

from tests.http.world import Document, Play, World
from tests.scenario import Scenario

REFERENCES = "GET /logistics/carriers/entityref"


@pytest.fixture(scope="module", autouse=True)
def carriers(world: World) -> list[Document]:
    """Of acme: three carriers; of globex one that nobody else may see."""
    world.make("Carrier", "globex", name="Secret Line", refName="secret")
    rows = [("a", "SEA"), ("b", "AIR"), ("c", "AIR")]
    return [world.make("Carrier", refName=f"c-{name}", name=f"Line {name}", mode=mode) for name, mode in rows]


def reference(record: Document) -> Document:
    return {
        "entityId": record["id"],
        "entityType": "Carrier",
        "entityRefName": record["refName"],
        "entityDisplayName": record["displayName"],
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", "abc", id="all, in the order of their ids"),
        pytest.param("?limit=2", "ab", id="first page"),
        pytest.param("?skip=1&limit=1", "b", id="second page"),
        pytest.param("?skip=9", "", id="behind the last"),
        pytest.param("?sort=-name", "cba", id="sorted by what a reference lacks"),
        pytest.param("?sort=mode,-refName", "cba", id="by two keys"),
        pytest.param("?filter=mode:AIR", "bc", id="filtered by what a reference lacks"),
        pytest.param("?filter=refName:c-b", "b", id="by name"),
        pytest.param("?filter=refName:secret", "", id="a foreign one"),
        pytest.param("?filter=&sort=", "abc", id="empty texts say nothing"),
    ],
)
def test_a_bare_array(play: Play, carriers: list[Document], query: str, expected: str) -> None:
    answers = {"content-type": "application/json", "cache-control": "private, no-cache"}
    scenario = Scenario("references", REFERENCES + query, answers=answers, silent_on=("Secret Line",))
    assert play(scenario) == [reference(carriers["abc".index(name)]) for name in expected]


@pytest.mark.parametrize(
    ("user", "expected"), [("globex", 1), ("acme-user", 3), ("acme-north", 0), ("system", 4)]
)
def test_each_sees_its_own(play: Play, user: str, expected: int) -> None:
    assert len(play(Scenario("references", REFERENCES, user=user))) == expected


def test_what_is_answered_can_be_saved_as_a_reference(world: World, play: Play) -> None:
    airport = world.make("Airport")
    (found,) = play(Scenario("references", f"GET /logistics/airports/entityref?filter=id:{airport['id']}"))
    carrier = world.make("Carrier", home=found)
    assert carrier["home"] == found


REFUSED = [
    Scenario("projection", f"{REFERENCES}?projection=name", status=400, code="request.unknown_parameter"),
    Scenario("cursor", f"{REFERENCES}?cursor=x", status=400, code="request.unknown_parameter"),
    Scenario("count", f"{REFERENCES}?count=exact", status=400, code="request.unknown_parameter"),
    Scenario("limit 1001", f"{REFERENCES}?limit=1001", status=400, code="request.invalid_parameter"),
    Scenario("skip -1", f"{REFERENCES}?skip=-1", status=400, code="request.invalid_parameter"),
    Scenario("skip as a word", f"{REFERENCES}?skip=one", status=400, code="request.invalid_parameter"),
    Scenario("unknown sort field", f"{REFERENCES}?sort=mod", status=400, code="field.unknown", says=("mode",)),
    Scenario("filter cut short", f"{REFERENCES}?filter=mode:", status=400, code="filter.syntax"),
    Scenario("hidden", "GET /logistics/shipments/entityref?sort=customsToken", status=400, code="field.unknown"),
    Scenario("nobody", REFERENCES, user=None, status=401, code="access.unauthenticated"),
    Scenario("wrong role", REFERENCES, user="acme-nobody", status=403, code="access.denied"),
]  # fmt: skip


@pytest.mark.parametrize("scenario", REFUSED, ids=str)
def test_refused(play: Play, scenario: Scenario) -> None:
    play(scenario)
