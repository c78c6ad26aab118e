"""All problems of all files come at once, also when one file cannot be read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.generator.conftest import SURROUNDINGS, Workshop

OTHERS = {
    "specs/logistics/parcel.yaml": (
        "record: Parcel\nfields:\n  origin: {reference: Depot}\n  target: {reference: Contry}\n  size: {type: strng}\n"
    ),
}
FOUND = [
    'parcel.yaml:4:23: error[SPEC031] unknown record type "Contry"; did you mean "Country"?',
    'parcel.yaml:5:16: error[SPEC030] unknown type "strng"; did you mean "string"?',
]
RULES = """
rules:
  - name: clerks see depots
    securityURI: {header: {identity: clerk, area: logistics, functionalDomain: DOMAIN, action: VIEW}}
    effect: ALLOW
"""

UNREADABLE = {
    "tab": b"record: Depot\nfields:\n\tname: string\n",
    "latin-1": "record: Depot\ndescription: Entrep\xf4t.\n".encode("latin-1"),
    "utf-16": "record: Depot\n".encode("utf-16"),
    "nul": b"record: Depot\ndescription: a\0b\n",
    "misspelt first key": b"recrod: Depot\nendpoints: standard\n",
    "space after the name": b'record: "Depot "  # goods\nfields: [\n',
    "first key in quotes": b'"record": Depot\nendpoints: standard\nfields: [\n',
    "space after the first key": b"record : Depot\nendpoints: standard\nfields: [\n",
    "first key with a hyphen": b"re-cord: Depot\nendpoints: standard\n",
    "indented first key": b" record: Depot\ndescription: goods\n",
    "other first key": b"fields: {}\nrecord: Depot\n",
    "quote that is not closed": b'record: Depot\ndescription: "goods\nfields:\n  name: string\n',
}


def problems(workshop: Workshop, depot: bytes) -> list[str]:
    path = workshop.folder / "specs/logistics/depot.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(depot)
    return [line.removeprefix("specs/logistics/") for line in workshop.problems(OTHERS)]


@pytest.mark.parametrize("depot", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_other_files_are_judged_as_ever(workshop: Workshop, depot: bytes) -> None:
    own, *others = problems(workshop, depot)
    assert own.startswith("depot.yaml:")
    assert [line for line in others if "Depot" in line] == [], (
        "what the file meant to declare is no second problem"
    )
    assert others == FOUND


@pytest.mark.parametrize(("domain", "is_unknown"), [("depot", False), ("dpot", True)])
def test_a_rule_may_speak_of_an_unreadable_record(workshop: Workshop, domain: str, is_unknown: bool) -> None:
    files = {
        "specs/logistics/depot.yaml": "record: Depot\nfields: [\n",
        "specs/logistics/rules.yaml": RULES.replace("DOMAIN", domain),
    }
    _own, *others = workshop.problems(files)
    assert bool(others) is is_unknown


@pytest.mark.parametrize(
    ("depot", "place"),
    [
        pytest.param(b"", "1:1: error[SPEC011]", id="an empty file"),
        pytest.param(b"record: epot\nfields: [\n", "2:1: error[SPEC001]", id="a name that none can have"),
        pytest.param(b"record: Depo-t\nfields: [\n", "2:1: error[SPEC001]", id="a name with a hyphen"),
        pytest.param(b"record: De pot\nfields: [\n", "2:1: error[SPEC001]", id="a name of two words"),
        pytest.param(b"record: epot # Depot\nfields: [\n", "2:1: error[SPEC001]", id="a name with a comment"),
        pytest.param(b"entity: De-pot\n", "1:1: error[SPEC011]", id="a name with a hyphen and a wrong key"),
        pytest.param(b"{record: Depot, fields: {\n", "1:1: error[SPEC001]", id="braces"),
    ],
)
def test_a_file_without_a_proper_name_may_declare_anything(
    workshop: Workshop, depot: bytes, place: str
) -> None:
    own, *others = problems(workshop, depot)
    assert own.startswith(f"depot.yaml:{place}")
    assert others == FOUND[1:]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param(
            'record: A\ndescription: "open\nfields:\n  a: string\n', "2:14", id="to the end of the file"
        ),
        pytest.param(
            'record: A\ndescription: "open\nfields:\n  a: {pattern: "x"}\n', "2:14", id="to the next quote"
        ),
        pytest.param("record: A\ndescription: 'it's\nfields:\n  a: string\n", "2:18", id="an apostrophe"),
    ],
)
def test_a_quote_is_reported_where_it_opens(workshop: Workshop, text: str, place: str) -> None:
    (found,) = workshop.problems({"specs/logistics/a.yaml": text})
    assert found.startswith(f"specs/logistics/a.yaml:{place}: error[SPEC001]")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_hang(workshop: Workshop) -> None:
    workshop.write(SURROUNDINGS)
    pipe: Path = workshop.folder / "specs/logistics/pipe.yaml"
    os.mkfifo(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (found,) = workshop.problems({})
    assert found == (
        "specs/logistics/pipe.yaml:1:1: error[SPEC002] not a regular file: a pipe, a device or a link that "
        "leads nowhere"
    )


def test_a_link_that_leads_nowhere_is_reported(workshop: Workshop) -> None:
    workshop.write(SURROUNDINGS)
    (workshop.folder / "specs/logistics/link.yaml").symlink_to("nowhere.yaml")
    (found,) = workshop.problems({})
    assert "error[SPEC002] not a regular file" in found


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"depot\xff.yaml", r"depot\udcff.yaml"),
        (b"depot\nEntrep\xc3\xb4t.yaml", r"depot\nEntrepôt.yaml"),
        (b"depot\xe2\x80\xae.yml", r"depot\u202e.yml"),
        (b"lo\xffgistics/depot.yaml", r"lo\udcffgistics/depot.yaml"),
    ],
)
def test_names_that_are_not_printable_are_refused(workshop: Workshop, name: bytes, shown: str) -> None:
    file = os.path.join(os.fsencode(workshop.folder / "specs/logistics"), name)
    os.makedirs(os.path.dirname(file))
    Path(os.fsdecode(file)).write_text("record: Depot\n", "utf-8")
    own, *others = workshop.problems(OTHERS)
    assert own.startswith(f"specs/logistics/{shown}:1:1: error[SPEC010] rename it")
    assert others == [f"specs/logistics/{line}" for line in FOUND], "references to its record are no problem"


def test_any_printable_name_will_do(workshop: Workshop) -> None:
    assert (
        workshop.problems({'specs/logistics/entrepôt (倉庫) {{x}} \\u12 """.yaml': "record: Depot\n"}) == []
    )
