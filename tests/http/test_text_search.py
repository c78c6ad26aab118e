"""Text search: beginnings of words, anywhere in a filter, and lists in the order of relevance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.records import relations
from tests.http.commands import Commands
from tests.http.test_permission_rules import rule, ruled
from tests.http.test_withheld import withholding
from tests.http.world import Document, World, open_world

PRODUCTS, ORDERS = "/logistics/products", "/logistics/orders"
DETAILS = {
    "a": "red tulip",
    "b": "Red tulip, red rose",
    "c": "yellow tulip from the Netherlands",
    "d": "rose",
    "e": "reddish lily; Über-große Blüte",
    "f": None,
    "g": "lily lily lily red",
    "h": "preRED",
}
WORDS = ["red", "tulip", "rose", "lily", "yellow"]
BEGINNINGS = ["re", "red", "RED", "tul", "über", "gros", "x", "l"]


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands()


@pytest.fixture(scope="module")
def world(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path, commands: Commands
) -> Iterator[World]:
    with (
        commands.listening(),
        open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as opened,
    ):
        for at, (name, details) in enumerate(DETAILS.items()):
            more = {} if details is None else {"details": details}
            opened.make("Product", refName=name, name=f"N {at}", price=str(at), **more)
        opened.make("Product", "globex", refName="foreign", name="red tulip", details="red tulip red tulip")
        archived = opened.make("Product", refName="old", name="red", details="red")
        assert opened.ask(f"DELETE {PRODUCTS}/id/{archived['id']}").status_code == 204
        yield opened


def listed(world: World, text: str, sort: str = "refName", caller: str = "acme") -> str:
    """The refNames that each route shows, page by page, which are the same."""
    query = f"filter={quote(text)}&sort={quote(sort)}&limit=1000"
    asked = {"rootType": "Product", "query": text, "sort": [
        {"field": entry.removeprefix("-"), "dir": "DESC" if entry.startswith("-") else "ASC"} for entry in sort.split(",")
    ]}  # fmt: skip
    csv = f"GET {PRODUCTS}/csv?requestedColumns=refName&prependHeaderRow=false&{query.rpartition('&')[0]}"
    answers = [
        [row["refName"] for row in world.ask(f"GET {PRODUCTS}/list?{query}", caller).json()["rows"]],
        [row["entityRefName"] for row in world.ask(f"GET {PRODUCTS}/entityref?{query}", caller).json()],
        world.ask(csv, caller).text.split(),
        [row["refName"] for row in world.ask("POST /api/query/find", caller, json=asked).json()["rows"]],
        by_cursor(world, caller, filter=text, sort=sort, projection="refName"),
        by_cursor(world, caller, filter=text, sort=sort),
    ]
    assert len({tuple(one) for one in answers}) == 1, answers
    counted = world.ask(f"GET {PRODUCTS}/count?filter={quote(text)}", caller).json()["count"]
    assert counted == len(answers[0])
    return "".join(answers[0])


def by_cursor(world: World, caller: str, **body: Any) -> list[str]:
    pages = world.pages(f"POST {PRODUCTS}/find", caller, limit=2, **body)
    rows = [row for page in pages for row in page["rows"]]
    assert not any("__score" in row or "score" in row for row in rows)
    return [row["refName"] for row in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("text(red)", "abg", id="a word"),
        pytest.param("text(re*)", "abeg", id="a beginning, not inside a word"),
        pytest.param("text(RED*)", "abeg", id="in any case"),
        pytest.param("text(über*)", "e", id="with other letters"),
        pytest.param('text("blü"*)', "e", id="in quotes"),
        pytest.param("text(tulip re*)", "ab", id="a word and a beginning"),
        pytest.param("text(rose lily re*)", "beg", id="any of the words, and the beginning"),
        pytest.param("text(re* tul*)", "ab", id="each of the beginnings"),
        pytest.param("text(yellow) || price:0", "ac", id="or"),
        pytest.param("text(yellow) || text(rose) || text(x*)", "bcd", id="several"),
        pytest.param("!!text(red)", "cdefh", id="none of the words, also without any"),
        pytest.param("!!(text(red) || text(tul*))", "defh", id="none of both"),
        pytest.param("text(red) && !!text(tulip)", "g", id="one and not the other"),
        pytest.param("text(red) && text(rose)", "b", id="both"),
        pytest.param("text(red) && text(red)", "abg", id="the same twice"),
        pytest.param("activeStatus:ARCHIVED && (text(red) || price:0)", "old", id="of archived records"),
        pytest.param('text("""red rose""") || name:"N 5"', "bf", id="a phrase"),
        pytest.param("(text(nothing) || price:3) && price:<9", "d", id="a search that finds nothing"),
    ],
)
def test_words_are_found(world: World, text: str, expected: str) -> None:
    assert listed(world, text) == expected


def plain(node: Any, details: str | None, price: int) -> bool:
    """What a random filter means."""
    operator, *parts = node
    words = re.findall(r"[^\W_]+", (details or "").lower())
    match operator:
        case "word":
            return parts[0] in words
        case "beginning":
            return any(word.startswith(parts[0].lower()) for word in words)
        case "price":
            return price == parts[0]
        case "not":
            return not plain(parts[0], details, price)
        case "and":
            return all(plain(part, details, price) for part in parts)
    return any(plain(part, details, price) for part in parts)


def spell(node: Any) -> str:
    operator, *parts = node
    match operator:
        case "word":
            return f"text({parts[0]})"
        case "beginning":
            return f"text({parts[0]}*)"
        case "price":
            return f"price:{parts[0]}"
        case "not":
            return f"!!({spell(parts[0])})"
    return "(" + (" && " if operator == "and" else " || ").join(map(spell, parts)) + ")"


def random_node(random: Random, depth: int) -> Any:
    kind = random.choice(["word", "beginning", "price"] + ["not", "and", "or"] * 2 * (depth > 0))
    values = {"word": WORDS, "beginning": BEGINNINGS, "price": range(8)}
    if kind in values:
        return kind, random.choice(values[kind])
    number = 1 if kind == "not" else 2
    return kind, *(random_node(random, depth - 1) for _each in range(number))


def test_a_search_may_be_anywhere(world: World) -> None:
    random, tried = Random(7), 0
    while tried < 60:
        node = random_node(random, 2)
        text = spell(node)
        if text.count("text(") > 4:
            continue
        tried += 1
        expected = [name for at, (name, details) in enumerate(DETAILS.items()) if plain(node, details, at)]
        body = {"filter": text, "sort": "refName", "limit": 1000}
        answer = world.ask(f"POST {PRODUCTS}/find", json=body)
        assert [row["refName"] for row in answer.json()["rows"]] == expected, (text, answer.text)


def test_relevance_is_that_of_the_store(world: World) -> None:
    for words in ("red", "red tulip", "lily rose", "red tulip rose lily yellow"):
        for text in (f"text({words})", f"price:>=0 && text({words}) && !!text(nothing)"):
            score = {"score": {"$meta": "textScore"}}
            match = {"dataDomain.tenantId": "acme", "activeStatus": "ACTIVE", "$text": {"$search": words}}
            rows = list(world.documents["products"].find(match, score))
            scores: dict[ObjectId, float] = {row["_id"]: row["score"] for row in rows}
            rows.sort(key=lambda row: (row["score"], row["_id"]), reverse=True)
            assert len(set(scores.values())) > 1
            assert listed(world, text, "-score") == "".join(row["refName"] for row in rows)
            rows.sort(key=lambda row: (-row["score"], row["refName"]))
            assert listed(world, text, "-score,refName") == "".join(row["refName"] for row in rows)
            assert listed(world, text, "-score,refName~ci:sv") == "".join(row["refName"] for row in rows)
            rows.sort(key=lambda row: row["refName"])
            assert listed(world, text, "refName,-score") == "".join(row["refName"] for row in rows)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        pytest.param("sort=-score", "filter by text(…) with a whole word", id="without a search"),
        pytest.param("sort=-score&filter=text(re*)", "with a whole word", id="of a beginning alone"),
        pytest.param("sort=-score&filter=text(red)||price:1", "of the outermost", id="of a part"),
        pytest.param("sort=score&filter=text(red)", "write -score", id="from the worst"),
        pytest.param("sort=-score~nullslast&filter=text(red)", "write -score", id="with a mark"),
        pytest.param("sort=-score,-score&filter=text(red)", "once: write -score", id="twice"),
        pytest.param("filter=shipments:{text(red)}", "Product has no field shipments", id="of no field"),
    ],
)
def test_what_has_no_relevance_is_refused(world: World, query: str, says: str) -> None:
    for path in ("list", "entityref", "csv?requestedColumns=refName"):
        query = query.replace("||", quote("||"))
        answer = world.ask(f"GET {PRODUCTS}/{path}{'&' if '?' in path else '?'}{query}")
        assert answer.status_code == 400, answer.text
        assert says in answer.text


def test_a_type_without_text_has_no_relevance(world: World) -> None:
    answer = world.ask("GET /logistics/carriers/list?sort=-score")
    assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown")


def test_a_search_is_about_the_record(world: World) -> None:
    for text in ("items:{text(red)}", "price:1 || billing:{text(red)}"):
        answer = world.ask(f"GET {ORDERS}/list?filter={quote(text)}")
        assert answer.status_code == 400, text
    answer = world.ask(f"GET {ORDERS}/count?filter={quote('items:{product{text(red) || text(ro*)}}')}")
    assert answer.json() == {"count": 0}


def test_each_search_inside_is_one_command_in_scope(world: World, commands: Commands) -> None:
    commands.clear()
    assert listed(world, "text(red) && (text(rose) || text(rose) || text(lily))") == "bg"
    sent = [
        one for one in commands.sent if one.collection == "products" and one.name in ("find", "aggregate")
    ]
    assert sent
    assert all(one.is_bound_to("acme") for one in sent)
    commands.clear()
    world.ask(f"GET {PRODUCTS}/list?filter={quote('text(rose) || text(rose) || text(lily)')}")
    assert [one.name for one in commands.sent if one.collection == "products"] == ["find"] * 3


def test_a_search_inside_that_matches_too_much_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relations, "MOST_TARGETS", 2)
    answer = world.ask(f"GET {PRODUCTS}/count?filter={quote('text(red) || price:1')}")
    assert (answer.status_code, answer.json()["code"]) == (422, "query.too_wide")
    assert "search for rarer words" in answer.json()["detail"]
    assert world.ask(f"GET {PRODUCTS}/count?filter=text(red)").json() == {"count": 3}


def test_rules_hold_for_what_a_search_finds(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "product", "action": "VIEW"}
    with ruled(world, rule(header, filter="refName:^[a,g]")):
        assert listed(world, "text(red) || price:3", caller="acme-user") == "bd"
        assert listed(world, "!!text(red)", caller="acme-user") == "cdefh"
        assert listed(world, "text(red)", "-score", caller="acme-user") == "b"
    assert listed(world, "text(red) || text(tul*)", caller="globex") == "foreign"


def test_what_is_withheld_is_not_searched(world: World) -> None:
    with ruled(world, withholding("product", "details")):
        for text in ("text(re*)", "price:1 || text(red)", "!!text(re*)", "text(red) && text(rose)"):
            answer = world.ask(f"GET {PRODUCTS}/list?filter={quote(text)}", "acme-user")
            assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown"), text
            assert "details" not in answer.text


def test_rules_do_not_search(world: World) -> None:
    header = {"area": "logistics", "functionalDomain": "product"}
    for text in ("text(red)", "text(re*)", "price:1 || text(re*)"):
        answer = world.ask("POST /security/permission/rules", json=rule(header, filter=text))
        assert answer.status_code == 422, text
        assert "not of rules" in answer.text
