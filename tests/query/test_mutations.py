"""The comparison with single reads is worth something: it notices each part of a permission that goes missing.

One part at a time is taken from the permission under which embedded records are read, as if it had been forgotten
there, and the answer must differ from what the same caller reads record by record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from runtime import records
from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.filter import EVERYTHING
from runtime.permissions import Rule
from runtime.principal import DomainScope
from runtime.records.expansion import replacing
from runtime.storage.access import Access
from runtime.storage.store.reads import Reads
from tests.query.plainly import Interpreter, Node
from tests.query.test_from_index import record
from tests.query.ward import Ward
from tests.query.wards import DOCTOR, PATIENT

RULES = (
    Rule("few", allows=False, domain="doctor", filter="grade:2"),
    Rule("no names", domain="doctor", filter="grade:1", hidden=frozenset({"name"})),
)
FOREIGN = {"dataDomain": {"tenantId": "globex", "orgRefName": "north", "dataSegment": 0}}
ELSEWHERE = {"dataDomain": {"tenantId": "acme", "orgRefName": "south", "dataSegment": 0}}
NORTH = {"dataDomain": {"tenantId": "acme", "orgRefName": "north", "dataSegment": 0}}
Change = Callable[[Access], Access]

MUTATIONS: dict[str, tuple[dict[str, Any], Change]] = {
    "the tenant": (FOREIGN, lambda access: replace(access, domain=replace(access.domain, tenant_id=None))),
    "the organisation": (
        ELSEWHERE, lambda access: replace(access, domain=replace(access.domain, org_ref_name=None)),
    ),
    "the scope": (FOREIGN, lambda access: replace(access, domain=DomainScope())),
    "the rules": (NORTH | {"grade": 2}, lambda access: replace(access, rules=EVERYTHING)),
    "fields that rules hide": (
        NORTH | {"name": "Anna", "grade": 1}, lambda access: replace(access, hidden=access.kind.hidden),
    ),
    "hidden fields": (
        NORTH | {"salary": 5}, lambda access: replace(access, hidden=access.hidden - access.kind.hidden),
    ),
}  # fmt: skip


def differs(ward: Ward, target: dict[str, Any]) -> bool:
    """Whether the expansion of a reference to this doctor is anything but a single read of it."""
    doctor = record(**target)
    ward.store(DOCTOR, [doctor])
    ward.store(PATIENT, [record(**NORTH, contact={"doctor": {"entityId": doctor["_id"]}})])
    call = ward.call(rules=RULES, org_ref_name="north")
    expanded, joined = ward.run(_read_both(call))
    assert len(joined) == 1
    return bool(expanded != joined)


async def _read_both(call: Call) -> tuple[Any, Any]:
    reference = next(one for one in PATIENT.references if one.path == "contact.doctor")
    rows = orjson.loads((await records.list_records(call, PATIENT, FindBody())).body)["rows"]
    page = await records.list_records(call, PATIENT, FindBody(expand="contact.doctor"))
    joined = [await Interpreter(call).join(PATIENT, row, Node(inner={reference: Node()})) for row in rows]
    return orjson.loads(page.body)["rows"], joined


@pytest.mark.parametrize("part", MUTATIONS)
def test_a_missing_part_of_the_permission_is_noticed(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    target, change = MUTATIONS[part]
    assert not differs(ward, target)
    find_encoded = Reads.find_encoded

    async def freed(self: Reads, access: Access, *arguments: Any, **options: Any) -> Any:
        mutated = change(access) if access.kind is DOCTOR else access
        return await find_encoded(self, mutated, *arguments, **options)

    monkeypatch.setattr(Reads, "find_encoded", freed)
    assert differs(ward, target)


def test_embedded_archived_records_are_noticed(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    archived = NORTH | {"activeStatus": "ARCHIVED"}
    assert not differs(ward, archived)

    async def everything(*_arguments: Any) -> Any:
        return EVERYTHING

    monkeypatch.setattr(replacing, "compile_callers_filter", everything)
    assert differs(ward, archived)
