"""Writers: each sends one request at a time, again with the same key until it is answered, and notes what
the service has acknowledged.

A mark is a value that only one write brings along, so that a write that is stored twice shows. Records of
one's own are written by their writer alone; shared shipments by all, without keys, each on the version it
has just read. Customers come and go while others refer to them.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx2

from tests.faults.ledger import Kept, Ledger, Wait

ORDERS, SHIPMENTS, CUSTOMERS = "/logistics/orders", "/logistics/shipments", "/logistics/customers"
REGIONS, MOST_REGIONS = "/logistics/regions", 12
AGAIN_SECONDS = 0.05
"""Between two tries. The service asks for a second; who measures stalls is not so polite."""
PAUSE_SECONDS = 0.1
MOST_LINES = 450
_MEDIA_TYPES = {"PATCH": "application/merge-patch+json"}

Document = dict[str, Any]


@dataclass
class Scene:
    """What all writers share. ``customers``: those that orders may name; others remove them meanwhile."""

    ledger: Ledger
    product: Document
    airport: Document
    customers: list[str]
    shared: list[str] = field(default_factory=list)
    regions: list[str] = field(default_factory=list)
    is_over: bool = False


@dataclass
class Writer:
    """One connection of one caller."""

    name: str
    client: httpx2.AsyncClient
    scene: Scene
    random: random.Random
    answered: int = 0
    _orders: list[str] = field(default_factory=list)
    _shipments: list[str] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=lambda: count(1))

    async def write(self) -> None:
        """Write until the scene is over; what was begun is finished."""
        works: dict[Callable[[], Awaitable[None]], int] = {
            self._order: 4, self._shipment: 4, self._grow_order: 5, self._grow_shipment: 5, self._bulk: 1,
            self._grow_shared: 3, self._remove: 2, self._customer: 1, self._remove_customer: 1,
            self._region: 2,
        }  # fmt: skip
        while not self.scene.is_over:
            (work,) = self.random.choices(list(works), list(works.values()))
            await work()
            await asyncio.sleep(self.random.random() * PAUSE_SECONDS)

    async def share(self) -> None:
        """Make a shipment for all writers."""
        mark, customer = self._mark(), self.scene.customers[0]
        answer = await self._ask("POST", SHIPMENTS, self._shipment_body(mark, customer))
        if self._is(answer, 201):
            self.scene.shared.append(answer.json()["id"])
            self.scene.ledger.shipments[answer.json()["id"]] = Kept(mark, customer, [])

    # --- records of one's own, with keys ------------------------------------------------------------------

    async def _order(self) -> None:
        mark, customer = self._mark(), self._a_customer()
        answer = await self._ask("POST", ORDERS, self._order_body(mark, customer, [1]))
        if self._is(answer, 201, refused=("reference.missing",)):
            self._note_order(answer.json(), mark, customer)

    async def _bulk(self) -> None:
        """Three orders in one request, all or each for itself."""
        marks, customer = [self._mark() for _each in range(3)], self._a_customer()
        saves = [{"op": "save", "record": self._order_body(mark, customer, [1])} for mark in marks]
        body = {"operations": saves, "atomic": self.random.random() < 0.5}
        answer = await self._ask("POST", f"{ORDERS}/bulk", body)
        if not self._is(answer, 200, refused=("reference.missing",)):
            return
        for mark, result in zip(marks, answer.json()["results"], strict=True):
            if result["status"] == 201:
                self._note_order(result, mark, customer)
            elif result["error"]["code"] != "reference.missing":
                self._wrong(f"bulk: {result}")

    async def _shipment(self) -> None:
        mark, customer = self._mark(), self._a_customer()
        answer = await self._ask("POST", SHIPMENTS, self._shipment_body(mark, customer))
        if self._is(answer, 201, refused=("reference.missing",)):
            self.scene.ledger.shipments[answer.json()["id"]] = Kept(mark, customer, [])
            self._shipments.append(answer.json()["id"])

    async def _grow_order(self) -> None:
        """A full replace with one item more, on the version that was acknowledged."""
        if not self._orders:
            return
        record_id = self._one_of(self._orders)
        kept = self.scene.ledger.orders[record_id]
        marks = [*kept.marks, len(kept.marks) + 1]
        body = self._order_body(kept.mark, kept.customer, marks) | {"id": record_id}
        answer = await self._ask("POST", ORDERS, body, on=kept.version)
        self._note_grown(answer, kept, marks)

    async def _grow_shipment(self) -> None:
        """A partial update with one line more, on the version that was acknowledged."""
        if not self._shipments:
            return
        record_id = self._one_of(self._shipments)
        kept = self.scene.ledger.shipments[record_id]
        marks = [*kept.marks, self._mark()]
        answer = await self._ask(
            "PATCH", f"{SHIPMENTS}/id/{record_id}", {"lines": _lines(marks)}, on=kept.version
        )
        self._note_grown(answer, kept, marks)

    async def _remove(self) -> None:
        path, own, kept = self.random.choice(
            [
                (ORDERS, self._orders, self.scene.ledger.orders),
                (SHIPMENTS, self._shipments, self.scene.ledger.shipments),
            ]
        )
        if not own:
            return
        record_id = self._one_of(own)
        if self._is(await self._ask("DELETE", f"{path}/id/{record_id}"), 204):
            kept[record_id].is_deleted = True
            own.remove(record_id)

    # --- what others write to as well ---------------------------------------------------------------------

    async def _customer(self) -> None:
        mark = self._mark()
        answer = await self._ask("POST", CUSTOMERS, {"name": mark})
        if self._is(answer, 201):
            self.scene.ledger.customers[answer.json()["id"]] = Kept(mark, "", [])
            self.scene.customers.append(answer.json()["id"])

    async def _region(self) -> None:
        """Put a region into another one: what follows depends on what other writers do in this moment."""
        regions = self.scene.regions
        around = {"partOf": {"entityId": self.random.choice(regions)}} if regions else {}
        if len(regions) < MOST_REGIONS:
            answer = await self._ask("POST", REGIONS, {"name": self._mark(), **around})
            if self._is(answer, 201):
                regions.append(answer.json()["id"])
        else:
            moved = f"{REGIONS}/id/{self.random.choice(regions)}"
            self._is(await self._ask("PATCH", moved, around), 200)

    async def _remove_customer(self) -> None:
        """One that others may be naming in this moment."""
        if len(self.scene.customers) < 4:
            return
        record_id = self.random.choice(self.scene.customers[2:])
        answer = await self._ask("DELETE", f"{CUSTOMERS}/id/{record_id}")
        if self._is(answer, 204, refused=("reference.in_use", "record.not_found")):
            self.scene.ledger.customers[record_id].is_deleted = True
            self.scene.customers.remove(record_id)

    async def _grow_shared(self) -> None:
        """Read, add a line, write on condition that nobody was faster; without a key, so that after a fault
        only reading again tells whether the write is there."""
        record_id, mark = self.random.choice(self.scene.shared), self._mark()
        path, kept = f"{SHIPMENTS}/id/{record_id}", self.scene.ledger.shipments[record_id]
        while True:
            found = (await self._ask("GET", path)).json()
            marks = [line["sku"] for line in found.get("lines", [])]
            if mark not in marks and len(marks) < MOST_LINES:
                body = self._shipment_body(kept.mark, kept.customer) | {"id": record_id}
                body["lines"] = _lines([*marks, mark])
                answer = await self._try(
                    "POST",
                    SHIPMENTS,
                    body,
                    {"If-Match": f'"{found["version"]}"', "Content-Type": "application/json"},
                )
                if answer is None or answer.status_code == 412 or _code(answer) == "record.version_conflict":
                    await asyncio.sleep(self.random.random() * AGAIN_SECONDS)
                    continue
                if not self._is(answer, 200):
                    return
            elif mark not in marks:
                return
            kept.marks.append(mark)
            return

    # --- asking -------------------------------------------------------------------------------------------

    async def _ask(
        self, method: str, path: str, body: Document | None = None, *, on: int | None = None
    ) -> httpx2.Response:
        """The final answer. A write has a key; its tries are one request."""
        headers = {"Content-Type": _MEDIA_TYPES.get(method, "application/json")}
        if on is not None:
            headers["If-Match"] = f'"{on}"'
        key = None if method == "GET" else f"{self.name}-key-{next(self._numbers)}"
        if key is not None:
            headers["Idempotency-Key"] = key
        began = asyncio.get_running_loop().time()
        answer = await self._try_until_answered(method, path, body, headers)
        ledger = self.scene.ledger
        ledger.waits.append(Wait(began, asyncio.get_running_loop().time()))
        if key is not None:
            ledger.keys[key] = answer.status_code
            ledger.answers[f"{answer.status_code} {_code(answer)}".strip()] += 1
            self.answered += 1
            if "idempotency-replayed" in answer.headers:
                ledger.answers["replayed"] += 1
        return answer

    async def _try_until_answered(
        self, method: str, path: str, body: Document | None, headers: dict[str, str]
    ) -> httpx2.Response:
        while True:
            if (answer := await self._try(method, path, body, headers)) is not None:
                return answer
            await asyncio.sleep(AGAIN_SECONDS)

    async def _try(
        self, method: str, path: str, body: Document | None, headers: dict[str, str]
    ) -> httpx2.Response | None:
        """None when it is to be tried again."""
        try:
            answer = await self.client.request(method, path, content=_content(body), headers=headers)
        except httpx2.TransportError as error:
            self.scene.ledger.answers[f"again: {type(error).__name__}"] += 1
            return None
        if answer.status_code == 503 or _code(answer) == "idempotency.in_flight":
            self.scene.ledger.answers[f"again: {answer.status_code} {_code(answer)}"] += 1
            return None
        return answer

    def _is(self, answer: httpx2.Response, status: int, refused: tuple[str, ...] = ()) -> bool:
        """Whether it succeeded; anything but that and what may be refused is wrong."""
        if answer.status_code == status:
            return True
        if _code(answer) not in refused:
            request = answer.request
            self._wrong(
                f"{request.method} {request.url.path}: {answer.status_code} instead of {status}: {answer.text[:500]}"
            )
        return False

    def _wrong(self, what: str) -> None:
        self.scene.ledger.wrong.append(f"{self.name}: {what}")

    # --- bodies and notes ---------------------------------------------------------------------------------

    def _mark(self) -> str:
        return f"{self.name}-{next(self._numbers)}"

    def _a_customer(self) -> str:
        return self.random.choice(self.scene.customers)

    def _one_of(self, own: list[str]) -> str:
        return self.random.choice(own[-20:])

    def _order_body(self, mark: str, customer: str, marks: list[int]) -> Document:
        items = [{"product": self.scene.product, "quantity": number, "price": "1.00"} for number in marks]
        return {"displayName": mark, "customer": {"entityId": customer}, "items": items}

    def _shipment_body(self, mark: str, customer: str) -> Document:
        airport = self.scene.airport
        return {
            "notes": mark,
            "customer": {"entityId": customer},
            "origin": airport,
            "destination": airport,
        }

    def _note_order(self, told: Document, mark: str, customer: str) -> None:
        self.scene.ledger.orders[told["id"]] = Kept(mark, customer, [1])
        self._orders.append(told["id"])

    def _note_grown(self, answer: httpx2.Response, kept: Kept, marks: list[Any]) -> None:
        """On a version that nobody else writes there is no conflict: one would be a write done twice."""
        if self._is(answer, 200):
            kept.marks, kept.version = marks, kept.version + 1
            if answer.json()["version"] != kept.version:
                self._wrong(f"{kept.mark} has version {answer.json()['version']} instead of {kept.version}")


def _lines(marks: list[str]) -> list[Document]:
    return [{"sku": mark, "quantity": 1} for mark in marks]


def _content(body: Document | None) -> bytes | None:
    return None if body is None else json.dumps(body).encode()


def _code(answer: httpx2.Response) -> str:
    """The stable code of a refusal; empty for a success."""
    if answer.status_code < 400:
        return ""
    try:
        return str(answer.json().get("code", ""))
    except ValueError:
        return ""
