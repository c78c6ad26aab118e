"""What a backup says of migrations that are in force."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.backup.problems import Unfit
from runtime.backup.shapes import require_all_settled

RUN, CANCEL = "`recordsmith migrate run`", "migrate cancel"
HAND, REMOVAL, UNDO = "0007_split", "Parcel.town.removed", "`recordsmith migrate undo {}`"


@pytest.mark.parametrize(
    ("name", "phase", "more", "advice"),
    [
        ("Parcel.2", "EXPAND", {"recordType": "Parcel"}, [RUN, f"{CANCEL} Parcel.2"]),
        ("Parcel.2", "BACK", {"recordType": "Parcel"}, [UNDO.format("Parcel.2"), f"{CANCEL} Parcel.2"]),
        (HAND, "MOVE", {}, [RUN]),
        (HAND, "BACK", {}, [UNDO.format(HAND)]),
        (REMOVAL, "MOVE", {}, [RUN]),
    ],
)
def test_the_advice_can_be_followed(name: str, phase: str, more: dict[str, Any], advice: list[str]) -> None:
    migration: Any = {"refName": f"{name}@main", "phase": phase, **more}
    with pytest.raises(Unfit) as refused:
        require_all_settled([migration])
    found = [one for one in (RUN, UNDO.format(name), f"{CANCEL} {name}") if one in refused.value.message]
    assert found == advice
