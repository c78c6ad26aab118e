"""Field types as annotations: what the library writes, and that the classes made of it hold what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from generator.model import Field, Kind, Type
from generator.naming import ClassName, PythonName
from generator.pydantic_models import Annotations

TEXT, WHOLE, EXACT = Type(Kind.STRING), Type(Kind.INTEGER), Type(Kind.DECIMAL)
LINE = Type(
    Kind.OBJECT,
    class_name=ClassName("ParcelLine"),
    fields=(Field("sku", PythonName("sku"), TEXT),),
)
ADDRESS = Type(Kind.STRUCTURE, class_name=ClassName("Address"), target="Address")
COUNTRY = Type(Kind.REFERENCE, target="Country")

TYPES = {
    "text": (TEXT, "str"),
    "long text": (Type(Kind.TEXT, constraints={"maxLength": 9}), "Annotated[str, Field(max_length=9)]"),
    "whole number": (
        Type(Kind.INTEGER, constraints={"minimum": 0, "maximum": 9}),
        "Annotated[int, Field(ge=0, le=9)]",
    ),
    "number": (Type(Kind.NUMBER, constraints={"exclusiveMinimum": 0.5}), "Annotated[float, Field(gt=0.5)]"),
    "decimal": (
        Type(Kind.DECIMAL, constraints={"minimum": 0, "multipleOf": 0.01}),
        "Annotated[Decimal, Field(ge=0, multiple_of=0.01), ExactDecimal()]",
    ),
    "boolean": (Type(Kind.BOOLEAN), "bool"),
    "date": (Type(Kind.DATE), "LocalDate"),
    "moment": (Type(Kind.DATETIME), "Moment"),
    "object id": (Type(Kind.OBJECT_ID), "ObjectIdText"),
    "json": (Type(Kind.JSON), "Any"),
    "enum": (Type(Kind.ENUM, values=("A", "b c")), "Literal['A', 'b c']"),
    "states": (Type(Kind.STATES, values=("NEW",), target="g"), "Literal['NEW']"),
    "reference": (COUNTRY, "EntityReference"),
    "structure": (ADDRESS, "Address"),
    "object": (LINE, "ParcelLine"),
    "list": (Type(Kind.LIST, item=TEXT), "list[str]"),
    "list of objects": (
        Type(Kind.LIST, item=LINE, constraints={"minItems": 1}),
        "Annotated[list[ParcelLine], Field(min_length=1)]",
    ),
    "list of limited text": (
        Type(Kind.LIST, item=Type(Kind.STRING, constraints={"maxLength": 3}), constraints={"maxItems": 2}),
        "Annotated[list[Annotated[str, Field(max_length=3)]], Field(max_length=2)]",
    ),
    "list of lists": (Type(Kind.LIST, item=Type(Kind.LIST, item=WHOLE)), "list[list[int]]"),
    "set": (
        Type(Kind.LIST, item=TEXT, constraints={"uniqueItems": True}),
        "Annotated[list[str], UniqueItems()]",
    ),
    "map": (Type(Kind.MAP, item=EXACT), "dict[str, Annotated[Decimal, ExactDecimal()]]"),
    "map of lists": (Type(Kind.MAP, item=Type(Kind.LIST, item=COUNTRY)), "dict[str, list[EntityReference]]"),
    "pattern": (
        Type(Kind.STRING, constraints={"pattern": "^\\d'\"$"}),
        """Annotated[str, Field(pattern='^\\\\d\\'"$')]""",
    ),
}
HOMES = {"Address": "generated.models.address"}


def annotations(*kinds: tuple[Type, bool]) -> Annotations:
    found = Annotations(HOMES)
    for kind, optional in kinds:
        found.collect(kind, optional)
    return found


@pytest.fixture(scope="module")
def written() -> Annotations:
    """All types of the table, as a model would collect them: the library runs once."""
    return annotations(*((kind, optional) for kind, _text in TYPES.values() for optional in (False, True)))


@pytest.mark.parametrize("name", TYPES)
def test_a_required_field(written: Annotations, name: str) -> None:
    kind, text = TYPES[name]
    assert written.of(kind, False).text == text


@pytest.mark.parametrize("name", [name for name in TYPES if name != "json"])
def test_an_optional_field_may_be_none(written: Annotations, name: str) -> None:
    kind, text = TYPES[name]
    bare = text.removeprefix("Annotated[").partition(", Field(")[0].partition(", Unique")[0]
    expected = text.replace(bare, f"{bare} | None", 1) if text.startswith("Annotated") else f"{text} | None"
    if name == "list of limited text":
        expected = "Annotated[list[Annotated[str, Field(max_length=3)]] | None, Field(max_length=2)]"
    assert written.of(kind, True).text == expected


def test_what_an_annotation_names_is_imported(written: Annotations) -> None:
    assert written.of(TYPES["decimal"][0], True).imports == {
        "Annotated": "typing",
        "Decimal": "decimal",
        "ExactDecimal": "runtime.model.record",
        "Field": "pydantic",
    }
    assert written.of(ADDRESS, False).imports == {"Address": "generated.models.address"}
    assert written.of(COUNTRY, True).imports == {"EntityReference": "runtime.model.record"}
    assert written.of(LINE, True).imports == {}, "a nested class lives in the module that uses it"
    assert written.of(TYPES["moment"][0], False).imports == {"Moment": "runtime.model.record"}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(TEXT, "Annotated[str, Field(description='What it is.', deprecated=True)]", id="bare"),
        pytest.param(
            TYPES["whole number"][0],
            "Annotated[int, Field(ge=0, le=9, description='What it is.', deprecated=True)]",
            id="joins the constraints",
        ),
        pytest.param(
            Type(Kind.LIST, item=Type(Kind.STRING, constraints={"maxLength": 3})),
            "Annotated[list[Annotated[str, Field(max_length=3)]], "
            "Field(description='What it is.', deprecated=True)]",
            id="not those of an item",
        ),
    ],
)
def test_words_of_a_field(kind: Type, text: str) -> None:
    assert annotations((kind, False)).of(kind, False, "What it is.", deprecated=True).text == text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(TEXT, "Annotated[str, Query(alias='x')]", id="bare"),
        pytest.param(
            TYPES["whole number"][0], "Annotated[int, Field(ge=0, le=9), Query(alias='x')]", id="constrained"
        ),
    ],
)
def test_the_mark_of_a_parameter(kind: Type, text: str) -> None:
    assert annotations((kind, False)).marked(kind, False, 'Query(alias="x")').text == text


def test_the_library_runs_once_for_all_types(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Callable[..., object]] = []
    from generator import type_library

    real = type_library.generate
    monkeypatch.setattr(type_library, "generate", lambda *a, **k: (runs.append(real), real(*a, **k))[1])
    found = annotations((TEXT, True), (EXACT, False), (TYPES["list of limited text"][0], False))
    for kind, optional in ((TEXT, True), (EXACT, False), (TEXT, True)):
        found.of(kind, optional)
    assert len(runs) == 1


def test_classes_of_the_same_name_as_the_library_uses_are_ours() -> None:
    for name in ("Inner", "Types", "Model"):
        kind = Type(Kind.LIST, item=Type(Kind.STRUCTURE, class_name=ClassName(name), target=name))
        assert annotations((kind, False)).of(kind, False).text == f"list[{name}]"
