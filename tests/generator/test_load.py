"""Reading: positions, plain values, bounds, and that nothing a file holds can raise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.load import load
from generator.load.read import read_yaml
from generator.load.scalar import Ambiguous, plain_value
from generator.load.trees import Tree
from generator.problems import ProblemList
from generator.resolve import resolve


def tree(text: str) -> Tree:
    root, problems = read_yaml(text, "f.yaml")
    assert root is not None
    assert problems == []
    return Tree("f.yaml", text, root.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-12", -12),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("2026-03-27", "2026-03-27"),
        ("2026-03-27T04:12:14Z", "2026-03-27T04:12:14Z"),
        ("1.0.0", "1.0.0"),
        ("1100-048", "1100-048"),
        ("nothing", "nothing"),
        ("y", "y"),
        ("-", "-"),
        ("café", "café"),
    ],
)
def test_a_plain_value_is_read_as_one_would_guess(text: str, value: object) -> None:
    found = plain_value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "NO",
        "On",
        "off",
        "0123",
        "0x1f",
        "0o17",
        "0b1",
        "12:30",
        "1:2:3.5",
        "1_000",
        ".5",
        "5.",
        "+4",
        ".inf",
    ],
)
def test_a_value_that_readers_understand_differently_is_refused(text: str) -> None:
    with pytest.raises(Ambiguous) as refusal:
        plain_value(text)
    assert f'"{text}"' in str(refusal.value)


@pytest.mark.parametrize(
    "text", ["9223372036854775807123", "1e999", "1e-99999999999999999999", "0e99999999999999999999"]
)
def test_a_number_without_a_place_in_64_bits_is_refused(text: str) -> None:
    with pytest.raises(Ambiguous):
        plain_value(text)


def test_quotes_make_text_of_anything() -> None:
    root, _ = read_yaml("a: 'yes'\nb: \"1\"\nc: |\n  on\nd: !!str 5\n", "f.yaml")
    assert root is not None
    assert root.value == {"a": "yes", "b": "1", "c": "on\n", "d": "5"}


def test_every_key_and_value_knows_its_place() -> None:
    found = tree("record: Parcel\nfields:\n  weight: {type: decimal, minimum: 0}\n  tags: [a, b]\n")
    places = {
        "value": found.value("fields", "weight", "minimum"),
        "key": found.key("fields", "weight", "minimum"),
        "item": found.value("fields", "tags", 1),
        "not spelled out": found.value("fields", "weight", "object", "type"),
        "nowhere": found.key("fields", "height"),
    }
    assert {name: (place.line, place.column) for name, place in places.items()} == {
        "value": (3, 36),
        "key": (3, 27),
        "item": (4, 13),
        "not spelled out": (3, 18),
        "nowhere": (3, 3),
    }


def test_keys_may_have_braces() -> None:
    assert tree("Hello {name}: 5\nType:{A}: 6\n").plain == {"Hello {name}": 5, "Type:{A}": 6}


def test_columns_count_characters_not_bytes() -> None:
    assert tree('{"größe": {"x": 1}}').value("größe", "x").column == 17


def test_merge_keys_fill_what_is_not_said() -> None:
    root, problems = read_yaml("a: &a {x: 1, y: 2}\nb: {x: 3, <<: *a}\nc: {<<: [*a, {z: 4}]}\n", "f.yaml")
    assert problems == []
    assert root is not None
    assert root.value["b"] == {"x": 3, "y": 2}
    assert root.value["c"] == {"x": 1, "y": 2, "z": 4}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "{a: " * 200_000,
        "- " * 200_000,
        "? " * 100_000,
        "a: &a [x]\n"
        + "".join(f"b{n}: &b{n} [*{p}, *{p}]\n" for n, p in enumerate(["a", *(f"b{i}" for i in range(40))])),
        "a: &a [*a]",
        "&" * 1000,
        "*x",
        "%YAML 9.9\n---\na: 1",
        "a: \ud800",
        "a: b\n " + "-" * 200_000 + " x y: z\n",
    ],
    ids=[
        "brackets",
        "braces",
        "dashes",
        "questions",
        "laughs",
        "itself",
        "anchors",
        "alias",
        "version",
        "surrogate",
        "dashes before a key",
    ],
)
def test_hostile_yaml_is_refused_and_cheap(text: str) -> None:
    root, problems = read_yaml(text, "f.yaml")
    assert root is None
    assert len(problems) == 1


def written(folder: Path, name: str, content: bytes) -> list[str]:
    (folder / "specs" / "area").mkdir(parents=True, exist_ok=True)
    (folder / "specs" / "service.yaml").write_text('title: T\nversion: "1.0"\n')
    (folder / "specs" / "area" / name).write_bytes(content)
    return [str(problem) for problem in load(folder / "specs").problems]


@pytest.mark.parametrize("name", ["service.yaml", "breaking.yaml"])
@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param("", "nothing", id="empty"),
        pytest.param("# All entries were removed.\n", "nothing", id="a comment alone"),
        pytest.param("[]\n", "a list", id="a list"),
        pytest.param("5\n", "the number 5", id="a number"),
    ],
)
def test_a_file_of_the_service_that_is_no_mapping_is_reported(
    tmp_path: Path, name: str, content: str, found: str
) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "service.yaml").write_text('title: T\nversion: "1.0"\n')
    (tmp_path / "specs" / name).write_text(content)
    problems = [str(problem) for problem in load(tmp_path / "specs").problems]
    first = {"service.yaml": "title", "breaking.yaml": "breaking"}[name]
    advice = f"begin with {first}:"
    assert problems == [f"specs/{name}:1:1: error[SPEC014] expected a mapping, found {found}: {advice}"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(
            b"record: A\n" + b"# x\n" * 300_000, "1:1: error[SPEC002] larger than 1024 KiB", id="size"
        ),
        pytest.param(b"record: Caf\xe9\n", "1:1: error[SPEC002] not UTF-8 text", id="encoding"),
        pytest.param(b"record: A\ndescription: a\x00b\n", "2:15: error[SPEC001] the control", id="control"),
        pytest.param(
            b"record: A\rfields: {}\r", "1:10: error[SPEC001] the control character '\\r': save the", id="cr"
        ),
        pytest.param(b"record: A\nfields:\n \tname: string\n", "3:2: error[SPEC005]", id="tab"),
    ],
)
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, content: bytes, told: str) -> None:
    (found,) = written(tmp_path, "a.yaml", content)
    assert found.startswith(f"specs/area/a.yaml:{told}")


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfrecord: A\n",
        b"record: A\r\ndescription: With Windows line ends.\r\n",
        b"record: 'tab\tinside'\n",
    ],
    ids=["byte order mark", "carriage returns", "tab in a value"],
)
def test_what_editors_write_is_read(tmp_path: Path, content: bytes) -> None:
    assert written(tmp_path, "a.yaml", content) == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: b\naudited = true\nc: d\n", 2, '"audited = true" is a key without ":": write audited: true'),
        ("a: b\nnote 'x y'\nc: d\n", 2, "\"note 'x y'\" is a key without \":\": write note: 'x y'"),
        (
            "a: b\nroles [user, admin]\n",
            2,
            '"roles [user, admin]" is a key without ":": write roles: [user, admin]',
        ),
        ("a:\n  b  {x: y}\n  c: d\n", 2, '"b  {x: y}" is a key without ":": write b: {x: y}'),
        (
            "a:\n  b  {x: y, z: q}\n  c: d\n",
            2,
            '"b  {x: y, z: q}" is a key without ":": write b: {x: y, z: q}',
        ),
        ("a:\n  b:{x: y}\n  c: d\n", 2, '"b:{x: y}" is one word: write a blank behind the colon, b: {x: y}'),
        ("a: b\u2028\u2028\u2028\nc {x: y}\n", 5, '"c {x: y}" is a key without ":": write c: {x: y}'),
        ("a: b\x85\x85\x85\nc\n", 2, '"c" is a key without ":"'),
        ("a: b\nc:[d, e]\nf: g\n", 2, '"c:[d, e]" is one word: write a blank behind the colon, c: [d, e]'),
        ("a:b\nc: d\n", 1, '"a:b" is one word: write a blank behind the colon, a: b'),
        ("a:\n  -b: c\n   d: e\n", 2, 'write a blank behind the dash, "- b"'),
        (
            "a: b\n<<<<<<< HEAD\nc: d\n",
            2,
            "this line marks a conflict of git: choose one of the two sides, and remove the marks",
        ),
        ("a: b\nc:\u00a0d\ne: f\n", 2, "U+00A0 (no-break space), as copied texts have: use spaces"),
        (
            "a:\n  b: c\n\u00a0 d: {e: f}\n  g: h\n",
            3,
            "U+00A0 (no-break space), as copied texts have: use spaces",
        ),
        ("a:\n  b = {x: y, z: q}\n", 2, '"b = {x: y, z: q}" is a key without ":": write b: {x: y, z: q}'),
        ('a: "b"\n  c: [d]\n', 2, "the line is indented more than the one above it, which has a value"),
        ("a:\n  b: [c]\n d: [e]\n", 3, "the line is indented by 1, but those above by 0 or 2"),
        ("a:\n   b: c\n  d: e\n", 3, "the line is indented by 2, but those above by 0 or 3"),
        (" a: b\nc: d\n", 2, "the line is indented less than the first one"),
        ("a: b\n- c: d\n", 2, 'a list item ("- ") where a key belongs'),
        ("a:\n  - b: c\n   d: e\n", 3, "what belongs to the list item above is indented by 4 blanks"),
        ("a:\n  b: {c: d\n", 2, 'this "{" is not closed in its line'),
        ("a: 'it's'\n", 1, "the text ends at this quote: write it in double quotes"),
        ("a:\n  b: {c: [d]\n  e: {f: g}\n", 2, 'this "{" is not closed in its line'),
        ("a:\n  - b:\n      - {c: d\n  - e: f\n", 3, 'this "{" is not closed in its line'),
        ("a:\n- [b\n- [c]\n", 2, 'this "[" is not closed in its line'),
        ('a: [\n"b",\n"c"\n"d"\n]\n', 4, "a missing comma"),
        ("a: {\n  b: c,\n<<<<<<< HEAD\n  d: e\n=======\n  f: g\n}\n", 3, "this line marks a conflict of git"),
        ("a: {}\n>>>>>>> b\n", 2, "this line marks a conflict of git"),
        ("a: - b\n", 1, 'a list item ("- ") begins a line of its own'),
        ("- a b\n  c: [d]\n", 1, '"- a b" is a key without ":": write - a: b'),
        ("- a = b\n  c: d\n", 1, '"- a = b" is a key without ":": write - a: b'),
    ],
)
def test_a_slip_is_explained_in_its_line(text: str, line: int, message: str) -> None:
    _, problems = read_yaml(text, "f.yaml")
    assert {one.line for one in problems} == {line}
    assert {message in one.message for one in problems} == {True}


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("record: A\nendpoints: list", "write [list]"),
        ("record: A\nendpoints: list, find", "write [list, find]"),
        ("record: A\nendpoints: lst", "write [list]"),
        ("record: A\nendpoints: {list: x, find: y}", "write [list, find]"),
        ("record: A\nendpoints: crud", 'write "standard"'),
        ("record: A\nendpoints: true", 'write "standard"'),
        ("record: A\nendpoints: none", "write []"),
        ("record: A\nroles: 5", "error[SPEC014] expected a list, found the number 5"),
        ("record: A\nroles: {clerk: x}", "write [clerk]"),
        ("record: A\nindexes: [name]", "write [name]"),
        ("record: A\nconstraints: 'a:1'", "write [{when: …, message: …}]"),
        ("record: A\nconstraints: [['a:1']]", "write {when: …, message: …}"),
        ("record: A\nfields: name", "write {name: …}"),
        ("record: A\nfields: {a: 5}", "write {type: integer, default: 5}"),
        ("record: A\nfields: {a: {list: [string]}}", "write list: string"),
        ("record: A\nfields: {a: {object: string}}", "write {name: string}"),
        ("record: A\nfields: {a: {object: size}}", "write {size: …}"),
        ("record: A\nfields: {a: {reference: {record: B}}}", "write B"),
        ("record: A\nfields: {a: {structure: {x: string}}}", "write object in place of structure"),
        (
            "record: A\nfields: {a: {states: {NEW: {}}}}",
            "write the name of a state graph, which has a file of its own",
        ),
        ("stateGraph: a\nstates: NEW", "write {NEW: …}"),
        ("stateGraph: a\nstates: {NEW: DONE}", "write {next: [DONE]}"),
        ("stateGraph: a\nstates: {NEW: final}", "write {final: true}"),
        ("tools: {find: {query: A}}", 'begin each item with "- name: find"'),
        ("tools: {name: a, description: b}", 'begin each item with "- "'),
        ("seeds: A", "write [{record: …, rows: …}]"),
        ("seeds: [{record: A, rows: one}]", "write [{refName: one}]"),
        ("seeds: [{record: A, rows: [one]}]", "write {refName: one}"),
        ("rules: [{name: a, effect: DENY, securityURI: x}]", "write {header: …, body: …}"),
        ("ontology: {predicates: {eats: A}}", "write {domain: …, range: …}"),
        ("ontology: [eats]", "write {predicates: …}"),
    ],
)
def test_a_value_of_the_wrong_shape_is_shown_in_the_right_one(tmp_path: Path, text: str, advice: str) -> None:
    (problem,) = written(tmp_path, "a.yaml", text.encode())
    assert problem.endswith(f": {advice}")


def test_roles_with_dashes_and_descriptions(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text('title: T\nversion: "1.0"\nroles: [{clerk: Sells.}]\n')
    (problem,) = load(tmp_path).problems
    assert problem.message == "expected text, found a mapping: write it without the dash"


def test_files_that_are_not_specs_are_passed_over(tmp_path: Path) -> None:
    for name in (".schema/record.json", "README.md", "released/openapi.json", ".hidden.yaml", ".git/x.yaml"):
        path = tmp_path / "specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{not: [yaml")
    assert written(tmp_path, "a.yaml", b"record: A\n") == []


def test_the_folder_of_a_file_is_its_area_at_any_depth(tmp_path: Path) -> None:
    path = tmp_path / "specs" / "system" / "security" / "credential.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("record: Credential\n")
    (document,) = load(tmp_path / "specs").records
    assert (document.area, document.source) == ("security", "specs/system/security/credential.yaml")


def test_a_folder_that_is_not_there_lacks_a_service(tmp_path: Path) -> None:
    (problem,) = load(tmp_path / "nothing").problems
    assert problem.rule == "SPEC017"


def test_an_unreadable_file_leaves_word_of_what_it_meant_to_declare(tmp_path: Path) -> None:
    written(tmp_path, "a.yaml", b"record: Order\nfields: [\n")
    written(tmp_path, "b.yaml", b"record: 'Parcel'\nfields: {}\nfoo: 1\n")
    assert load(tmp_path / "specs").broken == {"record": frozenset({"Order", "Parcel"})}


WORDS = st.sampled_from(
    ["record", "fields", "type", "string", "list", "enum", "states", "stateGraph", "next", "indexes", "seeds",
     "tools", "rules", "ontology", "endpoints", "Parcel", "NEW", "name", "reference", "yes", "1"]
)  # fmt: skip
YAMLISH = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(
            [
                ": ",
                "\n",
                "\n  ",
                "\n    - ",
                "{",
                "}",
                "[",
                "]",
                ", ",
                "&a ",
                "*a",
                "<<",
                "!!str ",
                "|",
                '"',
                "#",
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=40,
).map("".join)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)


def resolved(folder: Path, text: str) -> Any:
    (folder / "specs" / "area").mkdir(parents=True, exist_ok=True)
    (folder / "specs" / "service.yaml").write_text('title: T\nversion: "1.0"\n')
    (folder / "specs" / "area" / "a.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        return resolve(load(folder / "specs"))
    except ProblemList as found:
        return found


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(YAMLISH)
def test_whatever_text_a_file_holds_only_problems_are_raised(tmp_path: Path, text: str) -> None:
    resolved(tmp_path, text)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(
        ["record", "structure", "stateGraph", "tools", "endpoints", "rules", "seeds", "ontology"]
    ),
    VALUES,
    VALUES,
)
def test_whatever_values_a_file_holds_only_problems_are_raised(
    tmp_path: Path, kind: str, first: object, rest: object
) -> None:
    more = rest if isinstance(rest, dict) else {"fields": rest}
    resolved(tmp_path, json.dumps({kind: first} | more))
