"""Did you mean …?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.model.nearest import hint, nearest

KNOWN = ["refName", "displayName", "dataDomain", "version", "activeStatus"]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        *(
            ("refname", "refName"),
            ("ref_name", "refName"),
            ("verson", "version"),
            ("displyName", "displayName"),
        ),
        *(("VERSION", "version"), ("REFNAME", "refName"), ("DATADOMAIN", "dataDomain")),
    ],
)
def test_a_misspelt_name_finds_the_known_one_first(name: str, first: str) -> None:
    assert nearest(name, KNOWN)[0] == first
    assert hint(name, KNOWN).startswith(f"; did you mean {first}")


@pytest.mark.parametrize("name", ["", "zzzz", "$", "\0", "名前"])
def test_a_far_name_finds_nothing(name: str) -> None:
    assert nearest(name, KNOWN) == []
    assert hint(name, KNOWN) == ""


@pytest.mark.parametrize("name", ["createdBy", "lastUpdatedDate", "attributes"])
def test_a_part_of_a_name_is_not_near(name: str) -> None:
    assert nearest(name, ["at", "by", "date", "rib"]) == []


def test_at_most_three_in_an_order_that_does_not_depend_on_sets() -> None:
    names = {f"name{letter}" for letter in "abcdefgh"}
    assert (
        nearest("name", names) == nearest("name", sorted(names, reverse=True)) == ["namea", "nameb", "namec"]
    )


def test_several_near_names_are_joined() -> None:
    assert hint("name", ["nameb", "namea"]) == "; did you mean namea or nameb?"


@given(st.text(), st.lists(st.text(max_size=10), max_size=5))
def test_any_text_is_answered_with_known_names(name: str, known: list[str]) -> None:
    assert set(nearest(name, known)) <= set(known)
    assert nearest("x" * 100_000 + name, known) is not None
