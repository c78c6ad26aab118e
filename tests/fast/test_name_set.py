"""Which names have come already, in a dozen bytes each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.fast.name_set import NameSet


@given(st.lists(st.text(max_size=5), max_size=200))
def test_it_is_a_set(names: list[str]) -> None:
    seen, plain = NameSet(), set[str]()
    for name in names:
        assert seen.add(name) is (name not in plain)
        plain.add(name)
    assert len(seen) == len(plain)


@given(st.lists(st.tuples(st.sampled_from(["add", "discard"]), st.integers(0, 60)), max_size=400))
def test_names_can_be_taken_out_again(steps: list[tuple[str, int]]) -> None:
    seen, plain = NameSet(), set[str]()
    for step, number in steps:
        name = f"n{number}"
        if step == "add":
            assert seen.add(name) is (name not in plain)
            plain.add(name)
        else:
            seen.discard(name)
            plain.discard(name)
        assert len(seen) == len(plain)
    assert all((f"n{number}" in seen) is (f"n{number}" in plain) for number in range(61))


def test_marks_that_meet_are_found_when_one_before_them_goes() -> None:
    """A table of which two thirds are full has long runs."""
    seen = NameSet()
    names = [f"name {number}" for number in range(680)]
    assert all(map(seen.add, names))
    for name in names[::2]:
        seen.discard(name)
    assert [name in seen for name in names] == [at % 2 == 1 for at in range(680)]


def test_it_grows() -> None:
    seen = NameSet()
    assert all(seen.add(f"name {n}") for n in range(10_000))
    assert not any(seen.add(f"name {n}") for n in range(10_000))
    assert len(seen) == 10_000
