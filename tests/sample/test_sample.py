"""The sample application: every word of the language, generated, type-checked, imported and used.

``RECORDSMITH_WRITE_CASES=1 pytest tests/sample`` writes the golden output anew, to be read before use.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from decimal import Decimal
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.naming import FileName
from generator.output import compare, write
from generator.render import HEADER, render
from generator.resolve import resolve
from generator.spec import FieldSpec, RecordSpec
from generator.types import SCALARS
from runtime.cli.opening import read_settings
from runtime.model.field_type import ValueKind
from runtime.model.record import wire_name
from runtime.settings import Settings

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = "sample_generated"

ID = "65f1c0de65f1c0de65f1c0de"
MAKER = {"entityId": ID}
ARTICLE: dict[str, Any] = {"title": "Lamp", "code": "AB123", "price": "12.50", "maker": MAKER}


def model(name: str) -> type[BaseModel]:
    """A generated class, by the name of its record and of itself."""
    record = name.removesuffix("Input").removesuffix("Stored")
    package = (
        PACKAGE if (HERE / PACKAGE / "models" / f"{FileName.of(record)}.py").is_file() else "runtime.system"
    )
    found: type[BaseModel] = getattr(import_module(f"{package}.models.{FileName.of(record)}"), name)
    return found


def accepts(name: str, body: Any) -> bool:
    try:
        model(name).model_validate_json(json.dumps(body))
    except ValidationError:
        return False
    return True


# The golden output --------------------------------------------------------------------------------


def test_the_generated_code_is_the_golden_one() -> None:
    texts = render(resolve(load(HERE / "specs", SYSTEM_SPECS)), PACKAGE)
    if os.environ.get("RECORDSMITH_WRITE_CASES"):
        write(texts, HERE / PACKAGE, HEADER)
    assert compare(texts, HERE / PACKAGE) == []


def test_the_settings_of_the_specifications_take_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the application itself, and in every command that is run for it."""
    from sample_generated import app

    seen: list[Settings] = []
    monkeypatch.setattr(app, "create_app", lambda *_parts, settings, **_more: seen.append(settings))
    app.create()
    monkeypatch.setenv("SERVICE_APP", "sample_generated.app:create")
    seen.append(read_settings(None))
    monkeypatch.setenv("LIMITS_PAGE_SIZE", "21")
    app.create()

    assert [settings.page_size for settings in seen] == [20, 20, 21]


def test_the_sample_uses_every_word() -> None:
    """A word that the language gains must be shown here."""
    text = "\n".join(file.read_text("utf-8") for file in (HERE / "specs").rglob("*.yaml"))
    words = {
        str(info.alias or name)
        for spec in (FieldSpec, RecordSpec)
        for name, info in spec.model_fields.items()
    }
    unused = {word for word in words if f"{word}:" not in text}
    unused |= {name for name in SCALARS if not re.search(rf"(?<!format): +{name}\b", text)}
    assert unused == set(), "use these words and types in tests/sample/specs"


def test_the_generated_code_passes_the_strict_type_checker() -> None:
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--strict"]
    command += ["--cache-dir", str(ROOT / ".mypy_cache")]  # that of ``make check``, which knows the runtime
    done = subprocess.run(
        [*command, "-p", PACKAGE, "-m", "sample_handlers"],
        cwd=HERE,
        env=os.environ | {"MYPYPATH": f"{ROOT}{os.pathsep}{HERE}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_routes_and_document_tell_the_same() -> None:
    from sample_generated.app import DOCUMENT, ROUTERS

    told = {
        (operation["operationId"], method.upper(), path)
        for path, methods in json.loads(DOCUMENT.read_text("utf-8"))["paths"].items()
        for method, operation in methods.items()
    }
    routes = [route for router in ROUTERS for route in router.routes]
    assert {(str(one.operation_id), one.method, one.path) for one in routes} == told


# What the classes take ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="only what is required"),
        pytest.param({"price": 12.5}, id="decimal as number"),
        pytest.param({"price": 12}, id="decimal as whole number"),
        pytest.param({"stock": None, "tags": None, "origin": None}, id="null clears"),
        pytest.param({"weight": 3}, id="whole number as number"),
        pytest.param({"since": "2026-02-28", "changedAt": "2026-03-27T04:12:14.118Z"}, id="date and moment"),
        pytest.param({"changedAt": "2026-03-27T04:12:14+02:00"}, id="another zone"),
        pytest.param({"extra": [1, {"a": None}]}, id="anything"),
        pytest.param({"size": "EXTRA LARGE", "status": "OFFERED"}, id="enum and state"),
        pytest.param({"tags": ["a", "b"], "matrix": [[1], []]}, id="lists"),
        pytest.param({"labels": {"de": "Lampe"}, "prices": {"eur": "1.5"}}, id="maps"),
        pytest.param(
            {"similar": [MAKER], "origin": {"street": "A", "city": "B"}}, id="reference and structure"
        ),
        pytest.param({"measures": {"height": "1.5", "box": {"depth": 2}}}, id="objects"),
        pytest.param({"parts": [{"name": "foot", "weights": ["1.5", 2]}]}, id="list of objects"),
        pytest.param({"slots": {"a": {"shelf": "1"}}}, id="map of objects"),
        pytest.param({"mail": "ada@example.com", "link": "https://example.com"}, id="formats"),
        pytest.param(
            {"rating": 5.0, "sold": 3, "label": "x", "version": 2, "auditInfo": {}}, id="set by server"
        ),
        pytest.param({"token": "65f1c0de-0000-4000-8000-000000000001"}, id="hidden"),
        pytest.param({"sourceId": "65F1C0DE65f1c0de65f1c0de"}, id="object id in capitals"),
        pytest.param({"id": ID, "refName": "A", "dataDomain": {"tenantId": "acme"}}, id="common fields"),
    ],
)
def test_a_body_that_is_taken(more: dict[str, Any]) -> None:
    assert accepts("ArticleInput", ARTICLE | more)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"titel": "x"}, id="unknown member"),
        pytest.param({"title": None}, id="null for what is required"),
        pytest.param({"title": 5}, id="number for text"),
        pytest.param({"title": "x" * 81}, id="too long"),
        pytest.param({"title": ""}, id="too short"),
        pytest.param({"code": "ab123"}, id="pattern"),
        pytest.param({"stock": "5"}, id="text for number"),
        pytest.param({"stock": 1.5}, id="fraction for whole number"),
        pytest.param({"stock": True}, id="boolean for number"),
        pytest.param({"stock": -1}, id="below the minimum"),
        pytest.param({"stock": 100001}, id="above the maximum"),
        pytest.param({"batch": 7}, id="no multiple"),
        pytest.param({"batch": 0}, id="exclusive minimum"),
        pytest.param({"price": "12,50"}, id="no decimal"),
        pytest.param({"price": "NaN"}, id="not a number"),
        pytest.param({"price": "0.001"}, id="no multiple of a decimal"),
        pytest.param({"discount": -1}, id="exclusive minimum of a decimal"),
        pytest.param({"onSale": "true"}, id="text for boolean"),
        pytest.param({"since": "2026-02-30"}, id="no such day"),
        pytest.param({"changedAt": "2026-03-27T04:12:14"}, id="no zone"),
        pytest.param({"sourceId": "65G1C0DE65f1c0de65f1c0de"}, id="no object id"),
        pytest.param({"size": "small"}, id="no such value"),
        pytest.param({"status": "SOLD"}, id="no such state"),
        pytest.param({"tags": []}, id="too few"),
        pytest.param({"tags": list("abcdef")}, id="too many"),
        pytest.param({"tags": ["a", "a"]}, id="not unique"),
        pytest.param({"tags": ["x" * 21]}, id="item too long"),
        pytest.param({"tags": "a"}, id="text for list"),
        pytest.param({"tags": [None]}, id="null in a list"),
        pytest.param({"labels": {"de": ""}}, id="value of a map"),
        pytest.param({"maker": ID}, id="text for reference"),
        pytest.param({"maker": {"entityId": "1"}}, id="bad id"),
        pytest.param({"maker": {}}, id="reference without id"),
        pytest.param({"origin": {"city": "B"}}, id="structure lacks a member"),
        pytest.param({"origin": {"street": "A", "city": "B", "x": 1}}, id="structure has an unknown one"),
        pytest.param({"measures": {"height": "1", "box": {}}}, id="object lacks a member"),
        pytest.param({"mail": "ada"}, id="format"),
        pytest.param({"margin": 1}, id="hidden and set by server"),
        pytest.param({"dynamicAttributes": {}}, id="not asked for"),
        pytest.param({"activeStatus": "GONE"}, id="common field"),
    ],
)
def test_a_body_that_is_refused(more: dict[str, Any]) -> None:
    assert not accepts("ArticleInput", ARTICLE | more)


@pytest.mark.parametrize("name", sorted(ARTICLE))
def test_what_is_required_cannot_be_left_out(name: str) -> None:
    assert not accepts("ArticleInput", {key: value for key, value in ARTICLE.items() if key != name})


def test_members_that_a_record_asks_for_are_taken() -> None:
    event = {"type": "PERSIST", "date": "2026-03-27T04:12:14Z", "userId": "ada", "version": 1}
    body = {
        "name": "Acme",
        "dynamicAttributes": {"a": {"b": {"type": "Double", "value": 1.5}}},
        "persistentEvents": [event],
        "invalid": True,
        "violations": [{"path": "name", "message": "is odd"}],
    }
    assert accepts("MakerInput", body)
    assert not accepts("MakerInput", body | {"violations": ["odd"]})


def test_defaults_have_the_types_of_their_fields() -> None:
    article = model("ArticleInput").model_validate(
        {"title": "Lamp", "code": "AB123", "price": Decimal(1), "maker": MAKER}
    )
    again = model("ArticleInput").model_validate_json(article.model_dump_json())
    assert again == article
    assert article.model_dump(include={"discount", "tags", "labels", "stock", "size"}) == {
        "discount": Decimal("0.25"),
        "tags": ["new"],
        "labels": {"en": "lamp"},
        "stock": 0,
        "size": "MEDIUM",
    }


def test_a_default_is_not_shared_between_records() -> None:
    one, other = (model("ArticleInput").model_validate_json(json.dumps(ARTICLE)) for _ in range(2))
    one.tags.append("changed")  # the class is known by name only
    assert other.model_dump()["tags"] == ["new"]


def test_names_go_to_the_wire_and_back() -> None:
    for name in ("Article", "ArticleInput", "ArticleStored", "Maker", "Credential"):
        for python_name, info in model(name).model_fields.items():
            assert info.alias == wire_name(python_name)
    assert "area2RealmOverrides" in {info.alias for info in model("Credential").model_fields.values()}


# What is read -------------------------------------------------------------------------------------


def test_a_reader_never_meets_a_hidden_field() -> None:
    assert not {"token", "margin"} & set(model("Article").model_fields)
    assert "token" in model("ArticleInput").model_fields
    assert "margin" not in model("ArticleInput").model_fields
    assert {"token", "margin"} <= set(model("ArticleStored").model_fields)


def test_the_catalogue_knows_every_field_and_its_kind() -> None:
    from sample_generated.record_types import CATALOG

    article = CATALOG["shop.Article"]
    kinds = {
        "price": ValueKind.DECIMAL, "since": ValueKind.DATE, "changedAt": ValueKind.DATETIME,
        "sourceId": ValueKind.OBJECT_ID, "extra": ValueKind.JSON, "labels": ValueKind.MAP,
        "tags": ValueKind.LIST, "origin": ValueKind.OBJECT, "margin": ValueKind.DECIMAL,
        "weight": ValueKind.NUMBER, "stock": ValueKind.INTEGER, "onSale": ValueKind.BOOLEAN,
    }  # fmt: skip
    assert {name: article.fields[name].kind for name in kinds} == kinds
    assert article.fields["maker"].is_reference
    assert article.field_at("parts.supplier.entityId").kind is ValueKind.OBJECT_ID
    assert {"token", "margin"} == article.hidden
    assert article.states["status"].initial_states == ("DRAFT", "OFFERED")
    assert article.states["status"].default == "DRAFT"


# Classes and document agree -----------------------------------------------------------------------


@cache
def checker(name: str) -> Draft202012Validator:
    """The schema of a component of the sample's document."""
    document = json.loads((HERE / PACKAGE / "openapi.json").read_text("utf-8"))
    registry = Registry().with_resource("urn:d", Resource(contents=document, specification=DRAFT202012))
    return Draft202012Validator(
        {"$ref": f"urn:d#/components/schemas/{name}"},
        registry=registry,
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )


HOSTILE: list[Any] = [
    None, True, False, 0, -1, 5, 1.5, 10**6, "", "x", "5", "12.50", "-3", "AB123", "SMALL", "DRAFT",
    "x" * 300, ID,
    [], ["a"], ["a", "a"], [None], [[1]], [{}], {}, {"a": "b"}, {"a": 1}, MAKER, {**MAKER, "x": 1},
    {**MAKER, "realm": None}, {"tenantId": None}, {"street": "A", "city": "B"}, {"height": "1.5"},
    {"depth": 1},
    "2026-02-28", "2026-02-30", "2026-03-27T04:12:14.118Z", "2026-03-27T04:12:14", "ada@example.com", "a:b",
]  # fmt: skip


NOT_IN_A_SCHEMA = [
    # A decimal as text has its bounds too, which JSON Schema cannot say of text.
    *(("discount", text) for text in ("5", "12.50", "-3")),
]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        pytest.param("ArticleInput", ARTICLE, id="article"),
        pytest.param("MakerInput", {"name": "Acme"}, id="maker"),
        pytest.param("DepotInput", {"city": "Porto"}, id="depot"),
    ],
)
def test_class_and_schema_take_the_same(name: str, body: dict[str, Any]) -> None:
    """Every member with every hostile value: the class takes it exactly when the schema does."""
    assert accepts(name, body)
    assert checker(name).is_valid(body)
    wire_names = [str(info.alias) for info in model(name).model_fields.values()]
    differ = [
        (member, value)
        for member in [*wire_names, "unknown"]
        for value in HOSTILE
        if accepts(name, body | {member: value}) != checker(name).is_valid(body | {member: value})
    ]
    assert [pair for pair in differ if pair not in NOT_IN_A_SCHEMA] == []
