"""Relation blocks on the real MongoDB = what single reads by the same caller find in Python, always."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime import records
from runtime.call import Call
from runtime.contract.pages import CountParameters, FindBody
from runtime.errors import ServiceError
from runtime.filter import EVERYTHING
from runtime.model.record_type import RecordType, Reference
from runtime.permissions import Rule
from runtime.principal import DomainScope
from runtime.storage.access import Access
from runtime.storage.store.reads import Reads
from tests.properties import examples
from tests.query.plainly import Document, Interpreter, Node
from tests.query.stock import DOMAINS, FILTERS, RULES, Stock
from tests.query.test_from_index import record
from tests.query.ward import GROUPS, Ward, require_reason
from tests.query.wards import DOCTOR, PATIENT

BATCHES = examples(12, nightly=300)
QUERIES = 12


@pytest.mark.parametrize("group", GROUPS)
@settings(max_examples=BATCHES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_blocks_find_what_single_reads_find(ward: Ward, group: str, seed: int) -> None:
    random = Random(seed)
    stock = Stock(random, GROUPS[group])
    for kind in GROUPS[group]:
        ward.store(kind, stock.documents(kind))
    for _ in range(QUERIES):
        rules = random.sample(RULES, random.choice([0, 0, 1, 2, 3]))
        call = ward.call(rules=tuple(rules), **random.choice(DOMAINS))
        kind = random.choice([one for one in GROUPS[group] if list_references(one)])
        ward.run(_compare(call, random, kind))


def list_references(kind: RecordType[Any]) -> list[Reference]:
    """The references that a block may be about: a list of lists of them is not."""
    return [one for one in kind.references if "[][]" not in one.path]


async def _compare(call: Call, random: Random, kind: RecordType[Any]) -> None:
    reference = random.choice(list_references(kind))
    where = random.choice(FILTERS[reference.target.rpartition(".")[2]])
    spelled = reference.path.replace("[]", random.choice(["[*]", ""]))
    block = f"{spelled}{{{where}}}"
    outer, _, inner = reference.path.rpartition("[].")
    if outer and "[]" not in outer and random.random() < 0.3:
        block = f"{outer}:{{{inner}{{{where}}}}}"  # one element, which is the same for a single condition
    try:
        rows = orjson.loads((await records.list_records(call, kind, FindBody(limit=1000))).body)["rows"]
        found = {row["id"] for row in rows if await _has(call, row, reference, where)}
        every = {row["id"] for row in rows}
        for text, expected in (
            (block, found),
            (f"!!{block}", every - found),
            (f"!!({block}) && {block}", set()),
            (f"{block} || !!{block}", every),
            (f"version:~ && ({block} || version:0)", found),
        ):
            assert await _list(call, kind, text) == expected, text
            count = await records.count_records(call, kind, CountParameters(filter=text))
            assert orjson.loads(count.body) == {"count": len(expected)}
    except ServiceError as error:
        require_reason(call, error)


async def _list(call: Call, kind: RecordType[Any], text: str) -> set[str]:
    page = await records.list_records(call, kind, FindBody(limit=1000, filter=text))
    return {row["id"] for row in orjson.loads(page.body)["rows"]}


async def _has(call: Call, row: Document, reference: Reference, where: str) -> bool:
    """Whether one of the records that the row refers to is found by reading it alone, and matches."""
    target, plainly = call.service.catalog[reference.target], Interpreter(call)
    return any(
        [
            await plainly.read(target, one, Node(where=where)) is not None
            async for one in _each(row, reference)
        ]
    )


async def _each(row: Document, reference: Reference) -> AsyncIterator[Any]:
    for one in _values(row, reference.path.replace("[]", "").split(".")):
        yield one


def _values(here: Any, steps: list[str]) -> Iterator[Any]:
    if isinstance(here, list):
        for one in here:
            yield from _values(one, steps)
    elif not steps:
        yield here
    elif isinstance(here, dict):
        yield from _values(here.get(steps[0]), steps[1:])


FEW = (Rule("few", allows=False, domain="doctor", filter="grade:2"),)
NORTH = {"tenantId": "acme", "orgRefName": "north", "dataSegment": 0}
Change = Callable[[Access], Access]
MUTATIONS: dict[str, tuple[Document, Change]] = {
    "the tenant": (
        {"dataDomain": NORTH | {"tenantId": "globex"}},
        lambda access: replace(access, domain=replace(access.domain, tenant_id=None)),
    ),
    "the organisation": (
        {"dataDomain": NORTH | {"orgRefName": "south"}},
        lambda access: replace(access, domain=replace(access.domain, org_ref_name=None)),
    ),
    "the scope": (
        {"dataDomain": NORTH | {"tenantId": "globex"}}, lambda access: replace(access, domain=DomainScope()),
    ),
    "the rules": ({"dataDomain": NORTH, "grade": 2}, lambda access: replace(access, rules=EVERYTHING)),
}  # fmt: skip


def finds(ward: Ward, doctor: Document) -> bool:
    """Whether a block finds a patient by its doctor, who is invisible."""
    ward.store(DOCTOR, [doctor])
    ward.store(PATIENT, [record(dataDomain=NORTH, contact={"doctor": {"entityId": doctor["_id"]}})])
    call = ward.call(rules=FEW, org_ref_name="north")
    found = ward.run(_list(call, PATIENT, "contact.doctor{id:~}"))
    assert len(found) + len(ward.run(_list(call, PATIENT, "!!contact.doctor{id:~}"))) == 1
    return bool(found)


@pytest.mark.parametrize("part", MUTATIONS)
def test_a_missing_part_of_the_permission_is_noticed(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    members, change = MUTATIONS[part]
    doctor = record(**members)
    assert not finds(ward, doctor)
    find = Reads.find

    async def freed(self: Reads, access: Access, *arguments: Any, **options: Any) -> Any:
        return await find(self, change(access) if access.kind is DOCTOR else access, *arguments, **options)

    monkeypatch.setattr(Reads, "find", freed)
    assert finds(ward, doctor)
