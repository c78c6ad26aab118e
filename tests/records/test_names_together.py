"""Names in references and what is built from them are stored together, or neither is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from runtime.records.document.names_together import keep_names_together
from tests.records.depots import CRATE, ROUTE

Document = dict[str, Any]

BUILT = frozenset({"displayName", "label"})
STORED: Document = {
    "code": "C-1",
    "depot": {"entityRefName": "d-1", "entityDisplayName": "Porto"},
    "maker": {"entityRefName": "m-1", "entityDisplayName": "Faro"},
    "displayName": "C-1 at Porto",
    "label": "d-1/C-1",
}
OTHER_MAKER = {"entityRefName": "m-2", "entityDisplayName": "Braga"}


@pytest.mark.parametrize(
    ("sent", "resent", "whole"),
    [
        pytest.param({}, frozenset(), set(), id="nothing new"),
        pytest.param({"code": "C-2"}, frozenset(), set(), id="a field that nothing is built from here"),
        pytest.param({"displayName": "C-2 at Porto"}, BUILT, {"depot", "maker"}, id="another built value"),
        pytest.param({"label": "d-1/C-2"}, BUILT, {"depot", "maker"}, id="another calculated value"),
        pytest.param({"maker": OTHER_MAKER}, BUILT, {"depot", "maker"}, id="a name, and built values as they were"),
        pytest.param(
            {"maker": OTHER_MAKER, "label": "m-2/C-1"}, BUILT, {"depot", "maker"}, id="a name and a built value"
        ),
    ],
)  # fmt: skip
def test_what_is_sent_with_what(sent: Document, resent: frozenset[str], whole: set[str]) -> None:
    """``whole``: the references that are sent, because they are other objects than the stored ones."""
    stored = deepcopy(STORED)
    document = deepcopy(STORED) | deepcopy(sent)
    assert keep_names_together(CRATE, document, stored) == resent
    assert {name for name in ("depot", "maker") if document[name] is not stored[name]} == whole
    assert document == STORED | sent


def test_a_type_that_builds_nothing_sends_what_differs() -> None:
    stored: Document = {"crates": [OTHER_MAKER], "displayName": "r-1"}
    document = deepcopy(stored)
    assert keep_names_together(ROUTE, document, stored) == frozenset()
    assert document["crates"] is not stored["crates"]
