"""Which names have come already, in a dozen bytes each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.transfer.seen import Seen


@given(st.lists(st.text(max_size=5), max_size=200))
def test_it_is_a_set(names: list[str]) -> None:
    seen, plain = Seen(), set[str]()
    for name in names:
        assert seen.add(name) is (name not in plain)
        plain.add(name)
    assert len(seen) == len(plain)


def test_it_grows() -> None:
    seen = Seen()
    assert all(seen.add(f"name {n}") for n in range(10_000))
    assert not any(seen.add(f"name {n}") for n in range(10_000))
    assert len(seen) == 10_000
