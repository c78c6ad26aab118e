"""Records that are connected, and writes of them."""

from __future__ import annotations

from typing import Any

from tests.http.world import PATHS, Document, World

PATCH = {"Content-Type": "application/merge-patch+json"}
SUPPLIERS = "/logistics/suppliers"


def ref(record: Document) -> Document:
    return {"entityId": record["id"]}


def patch(world: World, kind: str, record: Document, **changes: Any) -> Any:
    return world.ask(f"PATCH {PATHS[kind]}/id/{record['id']}", json=changes, headers=PATCH)


def make(world: World, kind: str, **fields: Any) -> Document:
    """A new record that refers to nothing else than ``fields`` say."""
    own = {"locode": world.sample("Port")["locode"]} if kind == "Port" else {}
    answer = world.ask(f"POST {PATHS[kind]}", json=own | fields)
    assert answer.status_code == 201, answer.text
    made: Document = answer.json()
    return made


def build(world: World) -> dict[str, Document]:
    """A port in a region in a region, and a line of suppliers."""
    world_ = make(world, "Region", name="World")
    europe = make(world, "Region", name="Europe", partOf=ref(world_))
    iberia = make(world, "Region", name="Iberia", partOf=ref(europe))
    port = make(world, "Port", name="Lisbon", region=ref(iberia))
    grower = make(world, "Supplier", name="Grower", port=ref(port))
    dealer = make(world, "Supplier", name="Dealer", suppliers=[ref(grower)])
    shop = make(world, "Supplier", name="Shop", suppliers=[ref(dealer)])
    return {
        "world": world_, "europe": europe, "iberia": iberia, "port": port,
        "grower": grower, "dealer": dealer, "shop": shop,
    }  # fmt: skip
