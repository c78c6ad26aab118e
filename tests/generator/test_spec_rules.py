"""Each rule tells a bad example from a good one, and has a golden case."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from generator.spec import FieldSpec, RecordSpec
from generator.spec_rules import RULES, Rule

CASES = Path(__file__).parent / "cases"

# Their bad examples are no text of one file: a size, an absent file.
NOT_ONE_TEXT = {"SPEC002", "SPEC017"}

WITH_EXAMPLES = [pytest.param(rule, id=rule.id) for rule in RULES.values() if rule.id not in NOT_ONE_TEXT]


@pytest.mark.parametrize("rule", WITH_EXAMPLES)
def test_the_bad_example_breaks_its_rule_and_no_other(workshop: Any, rule: Rule) -> None:
    found = workshop.problems({rule.bad_file: rule.bad})
    broken = set(re.findall(r"error\[(SPEC\d{3})\]", "\n".join(found)))
    assert broken == {rule.id}


@pytest.mark.parametrize("rule", WITH_EXAMPLES)
def test_the_good_example_is_without_problems(workshop: Any, rule: Rule) -> None:
    assert workshop.problems({rule.good_file: rule.good}) == []


def test_ids_are_in_order_and_titles_differ() -> None:
    assert list(RULES) == sorted(RULES)
    assert len({rule.title for rule in RULES.values()}) == len(RULES)


def test_every_rule_has_a_golden_case() -> None:
    told = "\n".join(path.read_text("utf-8") for path in CASES.glob("*/problems.txt"))
    assert set(re.findall(r"error\[(SPEC\d{3})\]", told)) == set(RULES)


def test_every_rule_that_the_generator_reports_is_in_the_table() -> None:
    source = Path(__file__).parents[2] / "generator"
    told = "\n".join(path.read_text("utf-8") for path in source.rglob("*.py"))
    assert set(re.findall(r"\"(SPEC\d{3})\"", told)) <= set(RULES)


README = Path(__file__).parents[2] / "specs" / "README.md"


def test_the_examples_of_the_readme_are_without_problems(workshop: Any) -> None:
    record, renamed, quay, areas, structure, graph, endpoints, more, rules, seeds = re.findall(
        r"```yaml\n(.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    files = {
        "specs/logistics/parcel.yaml": record,
        "specs/logistics/airport.yaml": renamed,
        "specs/logistics/quay.yaml": quay,
        "specs/logistics/country.yaml": "record: Country\nfields:\n  code: string\n  name: string\n",
        "specs/service.yaml": f'title: Logistics\nversion: "1.0.0"\nroles: [clerk]\n{areas}',
        "specs/logistics/address.yaml": structure,
        "specs/logistics/parcel_lifecycle.yaml": graph,
        "specs/logistics/endpoints.yaml": endpoints + more,
        "specs/logistics/rules.yaml": rules,
        "specs/logistics/seeds.yaml": seeds,
        "specs/logistics/position.yaml": "structure: Position\nfields:\n  place: string\n",
    }
    assert workshop.problems(files) == []


def test_the_readme_names_every_word_of_records_and_fields() -> None:
    text = README.read_text("utf-8")
    words = {str(info.alias) for spec in (RecordSpec, FieldSpec) for info in spec.model_fields.values()}
    assert {word for word in words if not re.search(rf"\b{word}\b", text)} == set()
