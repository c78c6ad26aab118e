"""The files of tests that each worker gets, without a search among all tests for each of them.

pytest-xdist finds a test's place by comparing it with all before it, and counts what a worker has left over all files
that it ever had, after each of six messages a test. With 22,000 tests that is six seconds of CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class _Collection(list[str]):
    """The tests of a worker in their order, each with its place."""

    def __init__(self, tests: Sequence[str]) -> None:
        super().__init__(tests)
        self._places = {test: place for place, test in enumerate(tests)}

    def index(self, test: str, *bounds: SupportsIndex) -> int:
        """Return the place of a test in the whole list."""
        return self._places[test]


class FileScheduling(LoadFileScheduling):
    """``--dist loadfile`` with tests that are found at once, and files that are forgotten when they are done."""

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Note the tests that a worker has collected."""
        super().add_node_collection(node, collection)
        if node in self.registered_collections:  # unless it collected others than those before it
            self.registered_collections[node] = _Collection(self.registered_collections[node])

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Note that a worker is done with a test, and perhaps with its file."""
        super().mark_test_complete(node, item_index, duration)
        file = self._split_scope(self.registered_collections[node][item_index])
        tests = self.assigned_work[node][file].values()
        if next(reversed(tests)) and all(tests):
            del self.assigned_work[node][file]
