"""The mutations of the scope: every place is found, one at a time is freed, and a broken run is no proof."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

import pytest

from runtime.filter import equals
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from tests.http.mutate_scope import MOST_TESTS, PASSED, Outcome, chosen, judged
from tests.http.scope_sites import ROOT, Site, free, sites, store_methods, watch
from tests.runtime.conftest import WIDGET

ACCESS = Access(WIDGET, Action.VIEW, "main", DomainScope("acme"), rules=equals(activeStatus="ACTIVE"))
FOREIGN = {"dataDomain": {"tenantId": "globex"}, "activeStatus": "ACTIVE"}


def here() -> bool:
    return ACCESS.admits(FOREIGN)


def there() -> bool:
    return ACCESS.admits(FOREIGN)


def site_of(function: object) -> Site:
    assert inspect.isfunction(function)
    line = function.__code__.co_firstlineno + 1
    return Site("tests/http/test_scope_sites.py", line, "admits")


def test_one_place_is_freed_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not here()
    free(site_of(here), monkeypatch.setattr)
    assert here()
    assert not there()


def test_rules_hold_at_a_place_that_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    free(site_of(here), monkeypatch.setattr)
    monkeypatch.setitem(FOREIGN, "activeStatus", "INACTIVE")
    assert not here()


def test_it_is_noted_who_comes_where(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = watch(monkeypatch.setattr)
    here()
    assert any("who_comes_where" in test for test in reached[site_of(here)])
    assert site_of(there) not in reached


def test_a_place_without_a_scope_is_noted_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = watch(monkeypatch.setattr)
    monkeypatch.setattr(
        "tests.http.test_scope_sites.ACCESS", Access(WIDGET, Action.VIEW, "main", DomainScope())
    )
    here()
    assert reached[site_of(here)] == []


def test_every_place_of_the_store_is_found() -> None:
    found = [site for site in sites() if site.path.startswith("runtime/storage/store/")]
    for name in ("scoped", "admits"):
        texts = (path.read_text() for path in (ROOT / "runtime/storage/store").glob("*.py"))
        written = sum(len(re.findall(rf"\.{name}\(", text)) for text in texts)
        assert sum(site.method == name for site in found) == written, name


def test_every_method_of_the_store_is_called_somewhere() -> None:
    called = {site.method for site in sites() if not site.path.startswith("runtime/storage/store/")}
    assert called == store_methods()


FAULTS = {
    "all passed": ((), PASSED),
    "an assertion": ((("call", "AssertionError: a\nb"),), Outcome("caught", fault="AssertionError: a b")),
    "a bare assertion": ((("call", "assert 1 == 2"),), Outcome("caught", fault="assert 1 == 2")),
    "no refusal": ((("call", "Failed: DID NOT RAISE x"),), Outcome("caught", fault="Failed: DID NOT RAISE x")),
    "a crash": ((("call", "KeyError: 'x'"),), Outcome("BROKEN", fault="KeyError: 'x'")),
    "a fixture": ((("setup", "assert 1 == 2"),), Outcome("BROKEN", fault="assert 1 == 2")),
    "an assertion and a fixture": (
        (("call", "assert 1 == 2"), ("teardown", "E")), Outcome("BROKEN", fault="E"),
    ),
}  # fmt: skip


def report(when: Literal["setup", "call", "teardown"], message: str | None) -> pytest.TestReport:
    location = ("t.py", 1, "t")
    return pytest.TestReport(
        "t", location, {}, "failed" if message else "passed", cast(Any, message), when, sections=()
    )


@pytest.mark.parametrize(("faults", "outcome"), FAULTS.values(), ids=FAULTS)
def test_only_a_failed_assertion_is_a_proof(faults: Sequence[Any], outcome: Outcome) -> None:
    found = dict(faults)
    parts: tuple[Literal["setup", "call", "teardown"], ...] = ("setup", "call", "teardown")
    assert judged([report(when, found.get(when)) for when in parts]) == outcome


def test_the_last_test_is_always_asked() -> None:
    names = [f"test {number}" for number in range(2 * MOST_TESTS)]
    assert [*chosen(names)] == [*names[: MOST_TESTS - 1], names[-1]]
    assert [*chosen(names[:2] * 2)] == names[:2]
