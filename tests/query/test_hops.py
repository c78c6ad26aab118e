"""Paths of ``expand`` → the references they follow, over a catalogue with lists of every depth."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidParameter, ServiceError, UnknownField
from runtime.filter import parse_paths
from runtime.model.catalog import Catalog
from runtime.model.record_type import RecordType
from runtime.records.expansion.hops import find_hops
from tests.query.wards import CLINIC, PATIENT, WARDS

CATALOG = Catalog(WARDS)


def hops(path: str, kind: RecordType[object] = PATIENT, hidden: frozenset[str] = frozenset()) -> list[str]:
    def hidden_in(one: RecordType[object], _path: str) -> frozenset[str]:
        return hidden if one is kind else frozenset()

    return [one.path for one in find_hops(path, kind, CATALOG, hidden_in, path, 0)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("clinic", ["clinic"]),
        ("clinic.head", ["clinic", "head"]),
        ("visits[*].doctor", ["visits[].doctor"]),
        ("visits.doctor", ["visits[].doctor"]),
        ("visits[*].diagnoses[*].found", ["visits[].diagnoses[].found"]),
        ("visits.diagnoses[*].found.clinic", ["visits[].diagnoses[].found", "clinic"]),
        ("teams[*][*]", ["teams[][]"]),
        ("teams[*]", ["teams[][]"]),
        ("teams", ["teams[][]"]),
        ("teams.clinic.head.clinic", ["teams[][]", "clinic", "head", "clinic"]),
        ("contact.doctor", ["contact.doctor"]),
        ("contact.doctor.clinic", ["contact.doctor", "clinic"]),
    ],
)
def test_a_path_follows_references(path: str, expected: list[str]) -> None:
    assert hops(path) == expected


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        ("clinik", UnknownField, "did you mean clinic"),
        ("visits", InvalidParameter, "visits of Patient is not a reference: expand clinic, visits[*].doctor"),
        ("visits[*].day", InvalidParameter, "visits.day of Patient is not a reference"),
        ("visits.doctor.name", InvalidParameter, "name of Doctor is not a reference: expand clinic"),
        ("visits.doctor.salary", UnknownField, "Doctor has no field salary"),
        ("visits.x", UnknownField, "Patient has no field visits.x: expand clinic, visits[*].doctor"),
        ("clinic[*]", InvalidParameter, "clinic is not a list"),
        ("visits[*][*].doctor", InvalidParameter, "visits is not a list, or not of so many levels"),
        ("contact[*].doctor", InvalidParameter, "contact is not a list"),
        ("teams[*][*][*]", InvalidParameter, "teams is not a list, or not of so many levels"),
        ("clinic.entityId", UnknownField, "Clinic has no field entityId"),
        ("notes", InvalidParameter, "notes of Patient is not a reference"),
        ("notes.doctor", InvalidParameter, "notes.doctor of Patient is not a reference"),
        ("by.anna.doctor", InvalidParameter, "by.anna.doctor of Patient is not a reference"),
        ("", InvalidParameter, "an empty step"),
        ("clinic.", InvalidParameter, "an empty step"),
        (".clinic", InvalidParameter, "an empty step"),
        ("cli[*]nic", InvalidParameter, "is not a field"),
        ("*", InvalidParameter, "is not a field"),
        ("references", UnknownField, "added to a record"),
    ],
)
def test_what_is_not_a_reference_is_refused(path: str, error: type[ServiceError], says: str) -> None:
    with pytest.raises(error) as caught:
        hops(path)
    assert says in caught.value.message
    assert caught.value.details["column"] == 1


@pytest.mark.parametrize("hidden", ["visits", "visits.doctor", "visits.doctor.entityId"])
def test_a_hidden_reference_is_unknown_and_not_suggested(hidden: str) -> None:
    for path in ("visits.doctor", "visits[*].doctor", "visits.doctor.clinic"):
        with pytest.raises(UnknownField) as caught:
            hops(path, hidden=frozenset({hidden}))
        assert not any("doctor" in name or "visits" in name for name in caught.value.details["nearest"])
        assert caught.value.details["field"] == path.replace("[*]", "")
    with pytest.raises(InvalidParameter) as refused:
        hops("notes", hidden=frozenset({hidden}))
    assert "visits[*].doctor" not in refused.value.message
    assert "contact.doctor" in refused.value.message


@pytest.mark.parametrize(
    ("path", "hidden", "unknown"),
    [
        ("clinic", "clinic", "zzzzzz"),
        ("clinic", "clinic.entityId", "zzzzzz"),
        ("clinic[*]", "clinic.entityId", "zzzzzz[*]"),
        ("clinic.head", "clinic.entityId", "zzzzzz.head"),
        ("visits.doctor", "visits", "zzzzzz.doctor"),
        ("visits[*].doctor.clinic", "visits.doctor", "visits[*].zzzzzz.clinic"),
    ],
)
def test_a_hidden_reference_is_refused_in_the_words_of_an_unknown_field(
    path: str, hidden: str, unknown: str
) -> None:
    found = []
    for one in (path, unknown):
        with pytest.raises(UnknownField) as caught:
            hops(one, hidden=frozenset({hidden}))
        words = f"{caught.value.message} {caught.value.details}".replace("[*]", "")
        found.append(words.replace(one.replace("[*]", ""), "PATH"))
    assert found[0] == found[1]


def test_hidden_names_of_a_reference_do_not_hide_it() -> None:
    assert hops("clinic", hidden=frozenset({"clinic.entityRefName"})) == ["clinic"]


def test_hidden_fields_of_a_type_hold_wherever_it_is_reached() -> None:
    def hidden_in(kind: RecordType[object], _path: str) -> frozenset[str]:
        return frozenset({"head"}) if kind is CLINIC else frozenset()

    for path in ("clinic.head", "visits.doctor.clinic.head"):
        with pytest.raises(UnknownField):
            find_hops(path, PATIENT, CATALOG, hidden_in, path, 0)


_PATHS = st.text("abc.*[]clinic,visits doctor$\"'{}\0é", max_size=40)


@given(_PATHS)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever is read leads along declared references; nothing else is raised than a refusal."""
    found: list[tuple[str, list[str]]] = []
    with suppress(InvalidParameter, UnknownField):
        found = [(one.path, hops(one.path)) for one in parse_paths(text)]
    for path, references in found:
        assert "".join(path.replace("[*]", "").split()) == ".".join(references).replace("[]", "")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("", []),
        ("  ", []),
        ("a", ["a"]),
        ("a,b.c", ["a", "b.c"]),
        (" a , b[*].c ", ["a", "b[*].c"]),
        ("überall,日本.x", ["überall", "日本.x"]),
    ],
)
def test_paths_are_read(text: str, paths: list[str]) -> None:
    assert [one.path for one in parse_paths(text)] == paths


@pytest.mark.parametrize(
    ("text", "column"),
    [("a,", 3), (",a", 1), ("a,,b", 3), ("a b", 3), ("a:1", 2), ("expand(a)", 7), ("a\nb", 1), ("$a", 1)],
)
def test_wrong_texts_are_refused_where_they_are_wrong(text: str, column: int) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_paths(text)
    assert caught.value.details["column"] == column
    assert caught.value.details["parameter"] == "expand"
    assert "expand=customer,lines[*].product" in caught.value.message
