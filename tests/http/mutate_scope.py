"""Is the tenant isolation test worth anything? Takes the scope away at one place of the code at a time.

    python -m tests.http.mutate_scope             every place; a table
    python -m tests.http.mutate_scope listing.py  those whose line of the table holds the word

Places are those of ``scope_sites``: where the store binds a command, and where the rest of the service calls the
store. Works on a copy of the tree, as it is now, in a temporary folder, and in one run of pytest: first the tests
of the isolation test must pass as they are; that notes which of them comes to which place. Then, for each place,
those tests run up to the first that fails with the place freed. Before that the test must have passed once more
as it is, in the same world: a world that the last mutation has damaged is made anew. The last column of a row:

- the test that caught it, and how. Only a failed assertion counts, without an error before or behind it.
- ``binds nothing``: the leave there has no tenant. It is told by a secret, or by the name of a realm or user.
- ``nobody comes there``: no test did, so nothing is known. Counts as missed, as ``MISSED`` and ``BROKEN`` do.

Not part of the suite: it takes minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tests.http.scope_sites import ROOT, Site, free, sites, unlocated, watch

TESTS = "tests/http/test_tenant_isolation.py"
MOST_TESTS = 6
"""Of those that come to a place: the first, and the last."""

_IN_COPY = "--in-copy"
_LEFT_OUT = (".*", "__pycache__", "bench")
_ASSERTIONS = ("AssertionError", "assert", "Failed: DID NOT RAISE")


class Outcome(NamedTuple):
    """What a run of tests comes to, the test that failed first, and with what."""

    verdict: str
    test: str = ""
    fault: str = ""


PASSED = Outcome("MISSED")
GUARDED = ("caught", "binds nothing")


class Mutating:
    """In place of pytest's own loop over the tests."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.unguarded = 0
        self._items: dict[str, pytest.Item] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed or not session.items:
            self.unguarded = 1
            raise session.Failed("the tests cannot be collected")
        self._items = {item.name: item for item in session.items}
        with pytest.MonkeyPatch.context() as patch:
            reached = watch(patch.setattr)
            known = self.outcome_of(list(self._items))
        print(f"as it is: {known}", flush=True)
        if known != PASSED:
            self.unguarded = 1
            return True
        for site in sites():
            if all(word in str(site) for word in self._words):
                outcome = self.judge(site, reached)
                self.unguarded += outcome.verdict not in GUARDED
                print(f"{site!s:58} {' · '.join(filter(None, outcome))}", flush=True)
        self._end()
        return True

    def judge(self, site: Site, reached: Mapping[Site, Sequence[str]]) -> Outcome:
        """Whether a place is guarded, and by which test."""
        tests = reached.get(unlocated(site))
        if tests is None:
            return Outcome("nobody comes there")
        if not tests:
            return Outcome("binds nothing")
        for name in chosen(tests):
            if not self._is_sound(name):
                return Outcome("BROKEN", name, "it fails as it is")
            with pytest.MonkeyPatch.context() as patch:
                free(site, patch.setattr)
                outcome = self.outcome_of([name])
            if outcome != PASSED:
                return outcome
        return PASSED

    def outcome_of(self, names: Sequence[str]) -> Outcome:
        """The tests one after the other, up to the first that fails; the world stays."""
        for name in names:
            item = self._items[name]
            another = next(one for one in self._items.values() if one is not item)
            outcome = judged(runtestprotocol(item, nextitem=another, log=False))
            if outcome != PASSED:
                return outcome._replace(test=name)
        return PASSED

    def _is_sound(self, name: str) -> bool:
        if self.outcome_of([name]) == PASSED:
            return True
        self._end()
        return self.outcome_of([name]) == PASSED

    def _end(self) -> None:
        """Of the world."""
        first = next(iter(self._items.values()))
        runtestprotocol(first, nextitem=None, log=False)


def judged(reports: Sequence[pytest.TestReport]) -> Outcome:
    """What the parts of one test come to."""
    faults = [(report.when, message_of(report)) for report in reports if report.failed]
    if not faults:
        return PASSED
    is_assertion = all(when == "call" and message.startswith(_ASSERTIONS) for when, message in faults)
    return Outcome("caught" if is_assertion else "BROKEN", fault=faults[-1][1][:110])


def message_of(report: pytest.TestReport) -> str:
    """In one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return " ".join(str(getattr(crash, "message", report.longrepr)).split())


def chosen(tests: Sequence[str]) -> Iterator[str]:
    """The first of the tests, and the last."""
    names = list(dict.fromkeys(tests))
    yield from names[: MOST_TESTS - 1]
    yield from names[MOST_TESTS - 1 :][-1:]


def main(words: Sequence[str]) -> int:
    """Runs ``in_copy`` where nobody writes meanwhile."""
    with tempfile.TemporaryDirectory(prefix="mutate-scope-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        command = [sys.executable, "-m", "tests.http.mutate_scope", _IN_COPY, *words]
        few = os.environ | {"ISOLATION_RECORDS": "120"}
        return subprocess.run(command, cwd=copy, env=few, check=False).returncode


def in_copy(words: Sequence[str]) -> int:
    """0 when every place is guarded."""
    mutating = Mutating(words)
    leaks = "ignore::pytest.PytestUnraisableExceptionWarning"  # of what the traceback of a failure keeps open
    code = pytest.main(["-n0", "-s", "--tb=native", "--no-header", "-W", leaks, TESTS], plugins=[mutating])
    return int(code) or int(mutating.unguarded > 0)


if __name__ == "__main__":
    _, *given = sys.argv
    sys.exit(in_copy(given[1:]) if given[:1] == [_IN_COPY] else main(given))
