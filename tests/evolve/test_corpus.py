"""What the comparison of documents calls each edit of the corpus."""

from __future__ import annotations

from collections import Counter
from datetime import date
from functools import cache

import pytest

from generator.evolve.api import compare_documents
from generator.evolve.api.documents import Document
from generator.findings import Finding
from tests.evolve.corpus import BASE, CORPUS, GONE, OTHERWISE, PET, Edit, apply, endpoints, security

TODAY = date(2026, 11, 23)
LEVELS = ("safe", "risky", "breaking")


def expected(edit: Edit) -> str:
    return OTHERWISE[edit.rule][0] if edit.rule in OTHERWISE else edit.level


@cache
def compare_at(number: int) -> list[Finding]:
    return compare(CORPUS[number])


def compare(edit: Edit) -> list[Finding]:
    old = apply(BASE, edit.start)
    return compare_documents(Document(old, "old"), Document(apply(old, edit.change), "new"), TODAY)


def worst(findings: list[Finding]) -> str:
    return max((str(one.level) for one in findings), key=LEVELS.index, default="safe")


@pytest.mark.parametrize(
    "number", range(len(CORPUS)), ids=[f"{number}-{one.rule}" for number, one in enumerate(CORPUS)]
)
def test_an_edit(number: int) -> None:
    found = compare_at(number)
    assert worst(found) == expected(CORPUS[number]), [(one.rule.id, one.at, one.message) for one in found]


def test_the_corpus_is_large_enough_and_nearly_all_of_it_is_right() -> None:
    counts = Counter(map(expected, CORPUS))
    assert len(CORPUS) >= 150
    assert counts["breaking"] >= 100
    verdicts = [(expected(one), worst(compare_at(number))) for number, one in enumerate(CORPUS)]
    right = [one for one, found in verdicts if one == found]
    assert len(right) >= 0.95 * len(CORPUS)
    assert verdicts.count(("breaking", "breaking")) >= 0.95 * counts["breaking"]


def test_nothing_safe_is_called_breaking() -> None:
    safe = [(number, one) for number, one in enumerate(CORPUS) if expected(one) == "safe"]
    assert [one.rule for number, one in safe if worst(compare_at(number)) == "breaking"] == []


def test_what_we_judge_otherwise_is_in_the_corpus() -> None:
    known = {one.rule for one in CORPUS}
    assert {rule for rule in OTHERWISE if "set" not in rule and "pattern-added" not in rule} <= known


def test_an_edit_is_found_among_others() -> None:
    """Breaking edits are found as they are alone when safe ones elsewhere are made at the same time."""
    elsewhere = [one for one in (*endpoints(), *security()) if "rename" not in one.rule]
    others = [one for one in elsewhere if expected(one) == "safe" and not one.start]
    breaking = [one for one in CORPUS if expected(one) == "breaking" and not one.start]
    assert len(breaking) >= 50
    for edit in breaking:
        changed = BASE
        for other in others:
            changed = apply(changed, other.change) if not set(other.change) & set(edit.change) else changed
        try:
            changed = apply(changed, edit.change)
        except KeyError:
            continue  # an edit of what another took away
        found = compare_documents(Document(BASE, "old"), Document(changed, "new"), TODAY)
        assert worst(found) == "breaking", edit.rule


def test_no_edit_is_no_finding() -> None:
    assert compare(Edit("", "", {}, {})) == []


def test_what_expanded_answers_are_is_compared_where_both_documents_say_it() -> None:
    where = "paths|/pets/{id}|get|responses|200|content|application/json|x-expanded-schema"
    open_pet, closed_pet = ({**PET, "required": required} for required in ([], PET["required"]))
    for start, change, level in (
        ({}, {where: open_pet}, None),
        ({where: open_pet}, {where: GONE}, None),
        ({where: open_pet}, {where: closed_pet}, "safe"),
        ({where: closed_pet}, {where: open_pet}, "breaking"),
    ):
        found = compare(Edit("", "", start, change))
        assert {str(one.level) for one in found} == ({level} if level else set()), (start, change)
