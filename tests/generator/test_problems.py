"""Problems: order, formats, suggestions."""

from __future__ import annotations

import json

import pytest

from generator.problems import Place, Problem, ProblemList, did_you_mean, nearest

FIRST = Problem.at(Place("specs/a.yaml", 2, 9), "SPEC031", 'unknown record type "Airprt"')
SECOND = Problem.at(Place("specs/a.yaml", 10, 1), "SPEC012", "100% odd, with:\ntwo lines")


def test_problems_are_sorted_by_place_and_each_told_once() -> None:
    assert ProblemList([SECOND, FIRST, SECOND]).problems == (FIRST, SECOND)


def test_text_names_file_line_column_and_rule() -> None:
    expected = 'specs/a.yaml:2:9: error[SPEC031] unknown record type "Airprt"'
    assert ProblemList([FIRST]).formatted("text") == expected == str(ProblemList([FIRST]))


def test_text_shows_what_is_the_same_in_many_places_once() -> None:
    def repeat(number: int) -> ProblemList:
        return ProblemList(
            [SECOND, *(Problem.at(Place("specs/b.yaml", at), "SPEC034", "x") for at in range(number))]
        )

    assert len(repeat(5).formatted("text").splitlines()) == 5 + len(str(SECOND).splitlines())
    assert repeat(300).formatted("text").splitlines()[2:] == [
        "specs/b.yaml:0:1: error[SPEC034] x (the same in 299 other places)"
    ]
    assert len(json.loads(repeat(300).formatted("json"))) == 301
    assert repeat(300).formatted("github").count("\n") == 300


def test_json_is_a_list_of_members() -> None:
    (told,) = json.loads(ProblemList([FIRST]).formatted("json"))
    assert told == {
        "file": "specs/a.yaml",
        "line": 2,
        "column": 9,
        "rule": "SPEC031",
        "message": 'unknown record type "Airprt"',
    }


def test_github_escapes_what_its_commands_would_misread() -> None:
    line = ProblemList([SECOND]).formatted("github")
    assert line == "::error file=specs/a.yaml,line=10,col=1,title=SPEC012::100%25 odd, with:%0Atwo lines"


def test_a_file_name_cannot_end_a_github_property() -> None:
    odd = Problem.at(Place("specs/a,b:c.yaml"), "SPEC001", "x")
    assert ProblemList([odd]).formatted("github").startswith("::error file=specs/a%2Cb%3Ac.yaml,line=1,")


def test_an_unknown_rule_cannot_be_reported() -> None:
    with pytest.raises(KeyError):
        Problem.at(Place("specs/a.yaml"), "SPEC999", "x")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Airprt", '; did you mean "Airport"?'),
        ("airport", '; did you mean "Airport"?'),
        ("Zebra", "; known: Airport, Country"),
    ],
)
def test_the_nearest_known_name_is_offered(name: str, expected: str) -> None:
    assert did_you_mean(name, {"Country", "Airport"}) == expected


def test_many_known_names_are_not_listed() -> None:
    assert did_you_mean("zebra", [f"name{number}" for number in range(50)]) == ""
    assert did_you_mean("zebra", []) == ""
    assert did_you_mean("zebra", ["a"], list_few=False) == ""


def test_a_very_long_name_costs_little() -> None:
    assert nearest("x" * 1_000_000, ["name"]) == []
