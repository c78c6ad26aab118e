"""What refuses an edge calls renamed record types by their names of now."""

from dataclasses import replace
from typing import Any

import pytest

from generated.record_types import CATALOG
from runtime.errors import FilterType
from runtime.filter.syntax import EdgeKind
from runtime.model.catalog import Catalog
from runtime.ontology.answers import EdgeAnswers

TITLES = {"Supplier": "Vendor", "Region": "Zone", "Port": "Harbour"}


def test_a_refused_edge_names_record_types_as_they_are_called_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.ontology.answers.list_visible", lambda _call, rules: [*rules.relationships])
    kinds = tuple(replace(kind, title=TITLES.get(kind.name, "")) for kind in CATALOG)
    answers = EdgeAnswers(Catalog(kinds, relationships=CATALOG.relationships), 10)
    no_call: Any = None
    with pytest.raises(FilterType) as refused:
        answers.check(no_call, CATALOG["Port"], EdgeKind.INCOMING, "basedIn")
    assert "and Port is not at that end" in refused.value.message, "this one is not renamed"
    with pytest.raises(FilterType) as refused:
        answers.check(no_call, next(one for one in kinds if one.name == "Port"), EdgeKind.ANY, "basedIn")
    fault, _, advice = refused.value.message.partition(": name one of ")
    assert fault.endswith("basedIn leads from Vendor to Zone, and Harbour is not at that end")
    assert set(advice.split(", ")) == {"hasPort", "liesIn", "shipsFrom"}
    assert not [name for name in TITLES if name in fault]
