"""Writers whose edges follow from each other: none is missing, whoever comes first."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tests.http.world import World
from tests.ontology.places import check_edges, read_edges
from tests.ontology.scene import SUPPLIERS, make, patch, ref

ROUNDS = 8


def at_once(*asks: Callable[[], Any]) -> list[int]:
    with ThreadPoolExecutor(len(asks)) as pool:
        return [one.result().status_code for one in [pool.submit(ask) for ask in asks]]


def test_two_halves_of_a_way(world: World) -> None:
    """Each writer alone sees nothing to join with."""
    for _round in range(ROUNDS):
        a, b, c, d = (make(world, "Region", name=name) for name in "abcd")
        assert (
            at_once(
                partial(patch, world, "Region", a, partOf=ref(b)),
                partial(patch, world, "Region", b, partOf=ref(c)),
                partial(patch, world, "Region", c, partOf=ref(d)),
            )
            == [200] * 3
        )
        check_edges(world.documents)


def test_one_half_comes_while_the_other_goes(world: World) -> None:
    for _round in range(ROUNDS):
        c = make(world, "Region", name="c")
        b = make(world, "Region", name="b", partOf=ref(c))
        a = make(world, "Region", name="a")
        port = make(world, "Port", name="p")
        at_once(
            partial(patch, world, "Region", a, partOf=ref(b)),
            partial(patch, world, "Region", b, partOf=None),
            partial(patch, world, "Port", port, region=ref(a)),
            partial(world.ask, f"DELETE /logistics/regions/id/{c['id']}"),
        )
        check_edges(world.documents)


@pytest.mark.parametrize("number", [12])
def test_many_writers_of_one_line(world: World, number: int) -> None:
    made = [make(world, "Supplier", name=f"S{at}") for at in range(number)]
    steps = [
        partial(patch, world, "Supplier", made[at], suppliers=[ref(made[at + 1])]) for at in range(number - 1)
    ]
    assert set(at_once(*steps)) == {200}
    depends = [edge for edge in read_edges(world.documents) if edge.predicate == "dependsOn"]
    assert len(depends) == number * (number - 1) // 2
    at_once(*(partial(world.ask, f"DELETE {SUPPLIERS}/id/{one['id']}") for one in made))
    assert not read_edges(world.documents)
