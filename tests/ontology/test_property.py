"""After any sequence of writes the edges are those of a plain recomputation."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.http.world import Document, World
from tests.ontology.places import check_edges
from tests.ontology.scene import SUPPLIERS, make, patch, ref
from tests.properties import examples

STEPS = (
    "region",
    "port",
    "supplier",
    "point",
    "unpoint",
    "rename",
    "delete",
    "restore",
    "bulk",
    "file",
    "refused",
)
REFERS = {"Region": ("partOf", "Region"), "Port": ("region", "Region"), "Supplier": ("port", "Port")}


class Play:
    """Takes one step after the other, at random places."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.random = world, Random(seed)
        self.made: dict[str, list[Document]] = {"Region": [], "Port": [], "Supplier": []}

    def pick(self, kind: str) -> Document | None:
        return self.random.choice(self.made[kind]) if self.made[kind] else None

    def pick_any(self) -> tuple[str, Document] | None:
        kinds = [kind for kind in self.made if self.made[kind]]
        kind = self.random.choice(kinds) if kinds else None
        return kind and (kind, self.random.choice(self.made[kind]))

    def fields(self, kind: str) -> dict[str, Any]:
        field, target = REFERS[kind]
        found = self.pick(target)
        own: dict[str, Any] = {field: ref(found)} if found else {}
        if kind == "Supplier":
            chosen = [self.pick("Supplier") for _ in range(self.random.randrange(3))]
            own["suppliers"] = [ref(one) for one in chosen if one]
        return own

    def take(self, step: str) -> None:
        match step:
            case "region" | "port" | "supplier":
                kind = step.capitalize()
                answer = self.post(kind, {"name": "n", **self.fields(kind)})
                if answer.status_code == 201:  # it may refer to what is gone
                    self.made[kind].append(answer.json())
            case "bulk":
                self.write_many()
            case "file":
                self.send_file()
            case _ if found := self.pick_any():
                self.change(step, *found)

    def post(self, kind: str, record: dict[str, Any]) -> Any:
        own = {"locode": self.world.sample("Port")["locode"]} if kind == "Port" else {}
        return self.world.ask(f"POST /logistics/{kind.lower()}s", json=own | record)

    def change(self, step: str, kind: str, record: Document) -> None:
        field = REFERS[kind][0]
        match step:
            case "point":
                patch(self.world, kind, record, **self.fields(kind))
            case "unpoint":
                patch(self.world, kind, record, **{field: None})
            case "rename":
                patch(self.world, kind, record, name=f"n{self.random.randrange(9)}")
            case "delete":
                self.world.ask(f"DELETE /logistics/{kind.lower()}s/id/{record['id']}")
            case "restore":
                self.world.ask(f"POST {SUPPLIERS}/id/{record['id']}/restore")
            case "refused":
                patch(self.world, kind, record, **self.fields(kind), unknown=1)

    def write_many(self) -> None:
        operations: list[dict[str, Any]] = []
        for _ in range(self.random.randrange(1, 6)):
            found = self.pick("Supplier")
            if found and self.random.random() < 0.4:
                operations.append({"op": "delete", "id": found["id"]})
            else:
                own = {"id": found["id"]} if found and self.random.random() < 0.5 else {}
                operations.append({"op": "save", "record": {"name": "b", **own, **self.fields("Supplier")}})
        body = {"operations": operations, "atomic": self.random.random() < 0.5}
        answer = self.world.ask(f"POST {SUPPLIERS}/bulk", json=body).json()
        for result in answer.get("results", ()):
            if result["status"] == 201:
                self.made["Supplier"].append(result)

    def send_file(self) -> None:
        lines = ["refName,name,port.entityRefName"]
        for _ in range(self.random.randrange(1, 9)):
            port = self.pick("Port")
            lines.append(f"f-{self.random.randrange(20)},file,{port['refName'] if port else ''}")
        form = {"file": ("suppliers.csv", "\n".join(dict.fromkeys(lines)).encode(), "text/csv")}
        self.world.ask(f"POST {SUPPLIERS}/csv?requestedColumns=refName,name,port.entityRefName", files=form)


@given(st.lists(st.sampled_from(STEPS), min_size=10, max_size=25), st.integers(0, 2**32))
@settings(
    max_examples=examples(6, nightly=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_edges_follow_all_writes(world: World, steps: list[str], seed: int) -> None:
    play = Play(world, seed)
    for _ in range(3):
        play.made["Region"].append(make(world, "Region", name="r"))
    for step in steps:
        play.take(step)
    check_edges(world.documents)
