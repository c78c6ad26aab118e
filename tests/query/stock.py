"""Random records that refer to each other, stored behind the service's back, and random queries of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from bson import Decimal128, ObjectId

from runtime.model.catalog import Catalog
from runtime.model.record_type import RecordType, Reference
from runtime.permissions import Rule
from tests.query.plainly import Document, Node

PLACES = (
    {"tenantId": "acme"},
    {"tenantId": "acme"},
    {"tenantId": "acme", "orgRefName": "north"},
    {"tenantId": "acme", "orgRefName": "south", "dataSegment": 7},
    {"tenantId": "acme", "orgRefName": "*"},
    {"tenantId": "globex"},
)
DOMAINS: tuple[Mapping[str, Any], ...] = (
    {},
    {},
    {"org_ref_name": "north"},
    {"org_ref_name": "south"},
    {"data_segment": 7},
    {"tenant": "globex"},
)
SCALARS: Mapping[str, Callable[[Random], Document]] = {
    "Clinic": lambda random: {"town": random.choice(["Bern", "Ulm"]), "budget": random.randrange(3)},
    "Doctor": lambda random: {
        "name": random.choice(["Anna", "Bo"]), "grade": random.randrange(3), "salary": 5,
    },
    "Patient": lambda random: {"name": random.choice(["Cy", "Di"]), "notes": random.choice([1, {"a": [1]}])},
    "Country": lambda random: {"name": random.choice(["Land", "Meer"])},
    "Airport": lambda random: {"name": random.choice(["Lisbon", "Delft"]), "elevationFt": random.randrange(9)},
    "Carrier": lambda random: {"name": "Line", "mode": random.choice(["AIR", "ROAD"])},
    "Customer": lambda random: {
        "name": random.choice(["Casa", "Heath"]), "credit": Decimal128("2.50"),
        "billing": {"city": "Lisbon"}, "dynamicAttributes": {"a": {"b": {"type": "String", "value": "x"}}},
    },
    "Product": lambda random: {"name": "Tulip", "price": Decimal128(random.choice(["1.10", "2"])), "tags": ["a"]},
    "Shipment": lambda random: {"status": random.choice(["BOOKED", "LOST"]), "customsToken": "hush-hush"},
    "Order": lambda random: {"currency": random.choice(["EUR", "USD"])},
    "Port": lambda random: {"name": random.choice(["Lisbon", "Delft"])},
    "Region": lambda random: {"name": random.choice(["Iberia", "North"])},
    "Supplier": lambda random: {"name": random.choice(["Tulips", "Roses"])},
}  # fmt: skip
UNIQUE = {"Airport": ("icao", "iata"), "Country": ("code",), "Port": ("locode",), "Product": ("sku",)}
FILTERS: Mapping[str, Sequence[str]] = {
    "Clinic": ("town:Bern", "budget:>0", "head:~", "head{grade:>0}", "dataDomain.orgRefName:north"),
    "Doctor": (
        "grade:>0",
        "clinic{town:Bern && head{name:Anna}}",
        "!!clinic{town:Bern}",
        "name:A*",
        "activeStatus:ARCHIVED",
        "activeStatus:^[ACTIVE,ARCHIVED] && name:Bo",
    ),
    "Patient": ("name:Cy || version:1",),
    "Country": ("name:L*",),
    "Airport": ("elevationFt:<5", 'name:"Lisbon"', "country:~", "country{name:L*}"),
    "Carrier": ("mode:AIR",),
    "Customer": ("name:C*", "billing.city:Lisbon"),
    "Product": ("price:>1.5", "activeStatus:~"),
    "Shipment": ("status:BOOKED", "!!status:BOOKED", "carrier{mode:AIR} || origin{country{name:Land}}"),
    "Order": ("currency:EUR",),
    "Port": ("name:L*", "region{name:Iberia}"),
    "Region": ("name:Iberia", "partOf{partOf{name:North}}"),
    "Supplier": ("name:T*", "port{region{name:Iberia}}", "suppliers{port:~}"),
}
FIELDS: Mapping[str, Sequence[str]] = {
    "Clinic": ("town", "budget", "refName", "dataDomain.tenantId"),
    "Doctor": ("name", "grade", "activeStatus"),
    "Patient": ("name", "visits.day", "notes"),
    "Country": ("code", "name"),
    "Airport": ("name", "elevationFt", "version"),
    "Carrier": ("name", "mode"),
    "Customer": ("name", "credit", "billing.city"),
    "Product": ("name", "price", "tags"),
    "Shipment": ("status", "lines", "refName"),
    "Order": ("currency", "items.quantity"),
    "Port": ("locode", "name"),
    "Region": ("name", "version"),
    "Supplier": ("name", "refName"),
}
RULES: Sequence[Rule] = (
    Rule("few doctors", allows=False, domain="doctor", filter="grade:2"),
    Rule("no doctors", allows=False, domain="doctor"),
    Rule("no names", domain="doctor", hidden=frozenset({"name", "grade"})),
    Rule("no budgets", domain="clinic", hidden=frozenset({"budget"})),
    Rule("no heads", domain="clinic", hidden=frozenset({"head"})),
    Rule("no ids of heads", domain="clinic", hidden=frozenset({"head.entityId"})),
    Rule("only Bern", allows=False, domain="clinic", filter="!!town:Bern"),
    Rule("no owners", domain="patient", hidden=frozenset({"dataDomain.ownerId", "name"})),
    Rule("only Casa", allows=False, domain="customer", filter="!!name:Casa"),
    Rule("no customers", allows=False, domain="customer", action="VIEW"),
    Rule("no prices", domain="product", hidden=frozenset({"price", "name"})),
    Rule("no lands", domain="airport", hidden=frozenset({"country"})),
    Rule("own only", allows=False, domain="shipment", filter="status:LOST"),
)


class Stock:
    """Random records of a catalogue. ``ids`` by the name of the record type."""

    def __init__(self, random: Random, kinds: Sequence[RecordType[Any]]) -> None:
        self.random, self.kinds = random, kinds
        self.ids = {kind.name: [ObjectId() for _ in range(random.randrange(1, 6))] for kind in kinds}

    def documents(self, kind: RecordType[Any]) -> list[Document]:
        return [self.document(kind, one) for one in self.ids[kind.name]]

    def document(self, kind: RecordType[Any], record_id: ObjectId) -> Document:
        random = self.random
        made: Document = {
            "_id": record_id, "refName": f"r-{record_id}", "displayName": "shown", "version": 1,
            "activeStatus": random.choice(["ACTIVE"] * 4 + ["INACTIVE", "ARCHIVED"]),
            "dataDomain": {"dataSegment": 0, "ownerId": random.choice(["ann@acme", "bob"])} | random.choice(PLACES),
            "auditInfo": {"createdBy": "bob"}, "_lock": 1, "undeclared": "never shown",
            **SCALARS[kind.name](random), **{name: str(record_id) for name in UNIQUE.get(kind.name, ())},
        }  # fmt: skip
        for reference in kind.references:
            self._put(made, reference.path.split("."), reference.target.rpartition(".")[2])
        former = {name: old for name, old in kind.renamed.items() if random.random() < 0.4}
        return {former.get(name, name): value for name, value in made.items()}

    def _put(self, here: Document, steps: list[str], target: str) -> None:
        name, levels = steps[0].rstrip("[]"), steps[0].count("[]")
        if name not in here and self.random.random() < 0.1:
            return  # absent
        here[name] = self._value(here.get(name), levels, steps[1:], target)

    def _value(self, known: Any, levels: int, rest: list[str], target: str) -> Any:
        if levels:
            rows = known if isinstance(known, list) else [None] * self.random.randrange(4)
            return [self._value(one, levels - 1, rest, target) for one in rows]
        if not rest:
            return self._reference(target)
        made = known if isinstance(known, dict) else {"day": "today", "quantity": 2}
        self._put(made, rest, target)
        return made

    def _reference(self, target: str) -> Any:
        random = self.random
        others = [one for ids in self.ids.values() for one in ids]
        record_id = random.choice([*self.ids[target] * 4, random.choice(others), ObjectId()])
        names = {"entityType": target, "entityRefName": "a copy", "entityDisplayName": "another"}
        return {"entityId": record_id} | random.choice([names, {}])

    def paths(self, kind: RecordType[Any], catalog: Catalog) -> list[tuple[Reference, ...]]:
        """Up to four different paths of up to four references."""
        found = {self._path(kind, catalog) for _ in range(self.random.randrange(1, 5))}
        return sorted(found - {()}, key=lambda path: [one.path for one in path])

    def _path(self, kind: RecordType[Any], catalog: Catalog) -> tuple[Reference, ...]:
        found: list[Reference] = []
        for _ in range(self.random.randrange(1, 5)):
            if not kind.references:
                break
            found.append(self.random.choice(kind.references))
            kind = catalog[found[-1].target]
        return tuple(found)

    def spell(self, path: Sequence[Reference]) -> str:
        """The path as text, with some of its marks."""
        text = ".".join(one.path for one in path)
        return text.replace("[]", "[*]") if self.random.random() < 0.6 else text.replace("[]", "")

    def node(self, kind: RecordType[Any]) -> Node:
        """Some fields and a condition, or neither."""
        random, node = self.random, Node()
        if random.random() < 0.4:
            node.includes = random.sample(FIELDS[kind.name], random.randrange(1, 3))
        elif random.random() < 0.2:
            node.excludes = random.sample(FIELDS[kind.name], 1)
        if random.random() < 0.4:
            node.where = random.choice(FILTERS[kind.name])
        return node


def text_of(path: str, node: Node) -> str:
    """``expand(path, fields:[…], condition)``."""
    marks = [f"+{name}" for name in node.includes] + [f"-{name}" for name in node.excludes]
    parts = [path, *([f"fields:[{','.join(marks)}]"] if marks else ()), *([node.where] if node.where else ())]
    return f"expand({', '.join(parts)})"
