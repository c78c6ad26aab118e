"""What is derived from withheld fields: over types that refer to each other, in lists and in a circle."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.model.catalog import Catalog
from runtime.model.record import Record, RecordInput
from runtime.model.record_type import RecordType, Reference
from runtime.permissions.derived import withheld_fields


def kind(name: str, *references: Reference, **facts: Any) -> RecordType[Record]:
    return RecordType(
        name=name, area="logistics", domain=name.lower(), model=Record, input=RecordInput,
        collection=name.lower(), base_path=f"/{name}", references=references, **facts,
    )  # fmt: skip


PLACE = kind("Place", display="{town}, {address.street}", lenient=True)
DEPOT = kind(
    "Depot", Reference("place", "logistics.Place"), Reference("boss", "Clerk"),
    display="{refName} in {place.entityDisplayName}",
    calculated={"label": "{code} {address.zip}", "tag": "{label}!", "score": "expression"},
)  # fmt: skip
CLERK = kind("Clerk", Reference("depots[].depot", "Depot"), Reference("peer", "Clerk"), display="{name}")
ALONE = kind("Alone", calculated={"total": "expression"})
CATALOG = Catalog((PLACE, DEPOT, CLERK, ALONE))

UNSEEN = None


@pytest.mark.parametrize(
    ("of", "taken", "expected"),
    [
        pytest.param(DEPOT, {}, set(), id="nothing"),
        pytest.param(
            DEPOT, {"Depot": {"code"}}, {"code", "label", "tag", "score"}, id="a source of a source"
        ),
        pytest.param(
            DEPOT, {"Depot": {"address"}}, {"address", "label", "tag", "score"}, id="around a source"
        ),
        pytest.param(
            DEPOT,
            {"Depot": {"address.zip"}},
            {"address.zip", "label", "tag", "score"},
            id="a part of an object",
        ),
        pytest.param(DEPOT, {"Depot": {"address.city"}}, {"address.city", "score"}, id="beside a source"),
        pytest.param(DEPOT, {"Depot": {"codes"}}, {"codes", "score"}, id="a name that begins alike"),
        pytest.param(
            DEPOT,
            {"Place": {"town"}},
            {"place.entityDisplayName", "displayName", "score"},
            id="a name of a target",
        ),
        pytest.param(DEPOT, {"Place": {"size"}}, set(), id="a field of a target that is in no name"),
        pytest.param(
            CLERK,
            {"Place": {"town"}},
            {"depots.depot.entityDisplayName"},
            id="a target of a target, in a list",
        ),
        pytest.param(
            CLERK,
            {"Clerk": {"name"}},
            {"name", "displayName", "peer.entityDisplayName"},
            id="a type of its own",
        ),
        pytest.param(
            CLERK,
            {"Clerk": UNSEEN},
            {"refName", "displayName", "peer.entityRefName", "peer.entityDisplayName"},
            id="a type of its own that may not be viewed",
        ),
        pytest.param(
            DEPOT,
            {"Place": UNSEEN},
            {"place.entityRefName", "place.entityDisplayName", "displayName", "score"},
            id="a target that may not be viewed",
        ),
        pytest.param(PLACE, {"Place": {"size"}}, {"size", "invalid", "violations"}, id="a lenient type"),
        pytest.param(ALONE, {"Alone": {"price"}}, {"price", "total"}, id="an expression"),
        pytest.param(ALONE, {"Place": UNSEEN}, set(), id="another type"),
    ],
)
def test_what_goes_with_a_withheld_field(
    of: RecordType[Any], taken: dict[str, set[str] | None], expected: set[str]
) -> None:
    def fields(one: RecordType[Any]) -> frozenset[str] | None:
        found = taken.get(one.name, set())
        return None if found is None else frozenset(found)

    assert withheld_fields(of, fields(of) or frozenset(), CATALOG, fields) == expected
