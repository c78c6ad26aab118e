"""Changing a withheld value changes no answer to the caller from whom it is withheld, at any door that reads.

A value is changed by an administrator through the service, so that all copies and derived fields follow; then
version, audit stamps and history of the changed record are put back, since those tell that there was a change,
never of what. Guesses are drawn from the values themselves: a filter that reached them would find them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from bson import ObjectId
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from tests.http.test_permission_rules import ruled
from tests.http.test_withheld import withholding
from tests.http.world import Document, World, open_world
from tests.properties import IS_NIGHTLY

EXAMPLES, DOORS = (100, 60) if IS_NIGHTLY else (1, 30)  # of each secret; an example asks at each door twice

_VOLATILE = frozenset({"requestId", "decisionId", "date", "lastUpdatedDate"})
_MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}

text = st.text("abAB 7ß", min_size=1, max_size=6).map(str.strip).filter(bool)


@dataclass(frozen=True)
class Secret:
    """A field that a rule withholds from users, and the values it may have. ``names``: paths it shows in."""

    kind: str
    field: str
    values: st.SearchStrategy[Any]
    names: tuple[tuple[str, str], ...]

    @property
    def domain(self) -> str:
        return self.kind.lower()


SECRETS = (
    Secret(
        "Customer", "name", text,
        (
            ("customers", "name"), ("customers", "displayName"), ("orders", "customer.entityDisplayName"),
            ("shipments", "customer.entityDisplayName"),
        ),
    ),
    Secret("Customer", "credit", st.decimals(0, 99, places=2).map(str), (("customers", "credit"),)),
    Secret("Customer", "billing", st.builds(lambda one: {"street": one, "city": "x", "country": "PT"}, text),
           (("customers", "billing.street"),)),
    Secret(
        "Product", "name", text,
        (
            ("products", "name"), ("products", "displayName"), ("products", "label"),
            ("orders", "items.product.entityDisplayName"),
        ),
    ),
    Secret("Product", "details", text, (("products", "details"),)),
    Secret("Order", "currency", st.text("ABC", min_size=3, max_size=3), (("orders", "currency"),)),
    Secret("Shipment", "notes", text, (("shipments", "notes"),)),
    Secret("Airport", "name", text, (("airports", "name"), ("airports", "displayName"))),
)  # fmt: skip


BLOCKS = {
    "Customer": (("orders", "customer"), ("shipments", "customer")),
    "Product": (("orders", "items.product"),),
    "Airport": (("shipments", "origin"),),
}
"""Which records refer to a type, and by which field."""


@dataclass(frozen=True)
class Scene:
    world: World
    records: dict[str, Document]

    def read(self, path: str, **options: Any) -> tuple[int, str]:
        """The answer to the caller, without what no two answers share."""
        answer = self.world.ask(path, "acme-user", **options)
        if "json" not in answer.headers.get("content-type", ""):
            return answer.status_code, answer.text
        return answer.status_code, json.dumps(_stable(answer.json()), sort_keys=True)

    def change(self, secret: Secret, value: Any) -> None:
        """Store another value, and take back what tells that there was a change."""
        record = self.records[secret.kind]
        own = f"/logistics/{_path(secret.kind)}/id/{record['id']}"
        answer = self.world.ask(f"PATCH {own}", json={secret.field: value}, headers=_MERGE_PATCH)
        assert answer.status_code == 200, answer.text
        self.put_back()

    def put_back(self) -> None:
        documents = self.world.documents
        for kind, record in self.records.items():
            rows = documents[_path(kind)]
            stamps = {"version": 7, "auditInfo": {"createdBy": "x", "createdDate": _DATE}}
            rows.update_one(
                {"_id": ObjectId(record["id"])}, {"$set": stamps, "$unset": {"persistentEvents": 1}}
            )
        own = {"recordId": self.records["Order"]["id"]}
        name = f"Order:{own['recordId']}:7"
        last = documents["revisions"].find_one(own, sort=[("_id", -1)])
        assert last is not None
        documents["revisions"].delete_many({**own, "_id": {"$ne": last["_id"]}})
        documents["revisions"].update_one(
            {"_id": last["_id"]},
            {
                "$set": {
                    "refName": name,
                    "recordVersion": 7,
                    "writtenAt": _DATE,
                    "requestId": "r",
                    "action": "UPDATE",
                }
            },
        )


_DATE = ObjectId("65f0c0ffee00c0ffee00c0de").generation_time


@pytest.fixture(scope="module")
def scene(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path) -> Iterator[Scene]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as world:
        made = {kind: world.make(kind, refName=f"P-{kind}") for kind in ("Customer", "Product", "Airport")}

        def to(kind: str) -> Document:
            return {"entityId": made[kind]["id"]}

        airport = {"origin": to("Airport"), "destination": to("Airport")}
        made["Shipment"] = world.make("Shipment", refName="P-Shipment", customer=to("Customer"), **airport)
        items = [{"product": to("Product"), "quantity": 1, "price": "1.00"}]
        made["Order"] = world.make("Order", refName="P-Order", customer=to("Customer"), items=items)
        found = Scene(world, made)
        found.put_back()
        yield found


def doors(scene: Scene, secret: Secret, guesses: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every request that reads, as (request line, options)."""
    for kind, record in scene.records.items():
        base = f"/logistics/{_path(kind)}"
        own = f"{base}/id/{record['id']}"
        yield f"GET {own}", {}
        yield f"GET {own}", {"headers": {"If-None-Match": '"7"'}}
        yield f"GET {base}/refName/{record['refName']}", {}
        yield f"GET {base}/list?actions=true&count=exact&sort=-refName", {}
        yield f"GET {base}/list?projection=-dataDomain", {}
        yield f"GET {base}/entityref", {}
        yield f"GET {base}/schema", {}
        yield f"GET {base}/csv?requestedColumns=refName,id", {}
        yield f"DELETE {own}?dryRun=true", {}
        yield f"PATCH {own}?dryRun=true", {"json": {"activeStatus": "INACTIVE"}, "headers": _MERGE_PATCH}
        yield f"PATCH {own}?dryRun=true", {"json": {"version": 3}, "headers": _MERGE_PATCH}
    order = scene.records["Order"]
    yield f"GET /logistics/orders/id/{order['id']}/history", {}
    yield f"GET /logistics/orders/id/{order['id']}/transitions", {}
    yield "GET /logistics/orders/csv?requestedColumns=refName,items[0].product.entityId,items[0].quantity", {}
    yield "GET /logistics/orders/csv?requestedColumns=refName,customer,items", {}
    yield "GET /logistics/orders/list?projection=items,customer", {}
    for kind in scene.records:
        schema = {"tool": "query_find", "arguments": {"rootType": kind, "limit": 5}}
        yield "POST /api/agent/execute", {"json": schema}
        yield f"GET /api/agent/schema/{kind}", {}
    yield "GET /api/agent/query-hints", {}
    for path, name in secret.names:
        base = f"/logistics/{path}"
        for body in (
            {"groupBy": [name]},
            {"measures": {"most": f"max({name})"}},
            {"measures": {"number": "count"}, "having": f"{name}:~"},
        ):
            grouped = {"rootType": secret.kind, **body}
            yield "POST /api/query/aggregate", {"json": grouped}
            yield "POST /api/agent/execute", {"json": {"tool": "query_aggregate", "arguments": grouped}}
        yield f"GET {base}/list?sort={name}", {}
        yield f"GET {base}/list?projection={name}", {}
        yield f"GET {base}/csv?requestedColumns={name}", {}
        for guess in guesses:
            quoted = '"' + guess.replace('"', '""') + '"'
            for condition in (f"{name}:{quoted}", f"{name}:>={quoted}", f"refName:~ && {name}:!{quoted}"):
                yield f"GET {base}/list?filter={quote(condition)}", {}
            yield f"GET {base}/count?filter={quote(f'{name}:{quoted}')}", {}
            yield f"POST {base}/find", {"json": {"filter": f"{name}:{quoted}"}}
            for referrer, field in BLOCKS.get(secret.kind, ()) if path == _path(secret.kind) else ():
                for block in (f"{field}{{{name}:{quoted}}}", f"!!{field}{{{name}:>={quoted}}}"):
                    yield f"GET /logistics/{referrer}/list?filter={quote(block)}", {}
    for guess in guesses:
        words = '"' + guess.replace('"', '""') + '"'
        yield f"GET /logistics/products/count?filter={quote(f'text({words})')}", {}


@pytest.mark.parametrize("secret", SECRETS, ids=lambda one: f"{one.kind}.{one.field}")
def test_changing_a_withheld_value_changes_no_answer(scene: Scene, secret: Secret) -> None:
    def answers(value: Any, asked: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, tuple[int, str]]]:
        scene.change(secret, value)
        return [(line, scene.read(line, **options)) for line, options in asked]

    @settings(
        max_examples=EXAMPLES, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(
        st.tuples(secret.values, secret.values).filter(lambda pair: pair[0] != pair[1]),
        st.randoms(use_true_random=False),
    )
    def compare(pair: tuple[Any, Any], random: Random) -> None:
        guesses = [next(iter(value.values())) if isinstance(value, dict) else value for value in pair]
        every = list(doors(scene, secret, guesses))
        asked = random.sample(every, min(DOORS, len(every)))
        before, after = (answers(value, asked) for value in pair)
        assert [(one, other) for one, other in zip(before, after, strict=True) if one != other] == []
        assert {status for _line, (status, _body) in before} <= {200, 204, 304, 400, 409}

    with ruled(scene.world, withholding(secret.domain, secret.field)):
        compare()


def test_without_a_rule_the_same_doors_tell(scene: Scene) -> None:
    secret = SECRETS[0]
    asked = list(doors(scene, secret, ["one"]))[::3]
    seen = []
    for value in ("one", "two"):
        scene.change(secret, value)
        seen.append([scene.read(line, **options) for line, options in asked])
    differing = [one for one, other in zip(*seen, strict=True) if one != other]
    assert len(differing) > 10


def _path(kind: str) -> str:
    return f"{kind.lower()}s"


def _stable(value: Any) -> Any:
    if isinstance(value, list):
        return [_stable(item) for item in value]
    if isinstance(value, dict):
        return {name: _stable(inner) for name, inner in value.items() if name not in _VOLATILE}
    return value
