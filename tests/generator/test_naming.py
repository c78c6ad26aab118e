"""Names: what they become, what is refused and with which advice."""

from __future__ import annotations

import ast
import keyword
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.model import Model
from generator.naming import (
    CLASSES_OF_GENERATED_CODE,
    BadName,
    ClassName,
    Constant,
    FileName,
    PythonName,
    camel_case,
    kebab_case,
)
from generator.openapi import Describer
from generator.runtime_names import RUNTIME_NAMES, SHARED_SCHEMAS
from runtime.model.record import wire_name

WIRE_NAMES = st.from_regex(r"[a-z][a-zA-Z0-9]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("refName", "ref_name"),
        ("area2RealmOverrides", "area2_realm_overrides"),
        ("realmRegEx", "realm_reg_ex"),
        ("emailOfResponsibleParty", "email_of_responsible_party"),
        ("httpURL", "http_u_r_l"),
        ("type", "type"),
        ("match", "match"),
        ("x", "x"),
    ],
)
def test_a_wire_name_becomes_a_python_name_and_back(wire: str, python: str) -> None:
    assert PythonName.from_wire(wire) == python
    assert wire_name(python) == wire


@given(WIRE_NAMES)
def test_every_accepted_wire_name_comes_back(wire: str) -> None:
    try:
        python = PythonName.from_wire(wire)
    except BadName:
        return
    assert wire_name(python) == wire
    assert python.isidentifier()
    assert not keyword.iskeyword(python)


@given(st.text(max_size=12))
def test_whatever_is_asked_a_name_is_right_or_refused(text: str) -> None:
    for make in (PythonName, PythonName.from_wire, PythonName.parameter, FileName.of, Constant.of, ClassName):
        try:
            name = make(text)
        except BadName:
            continue
        ast.parse(f"{name} = 1")


@pytest.mark.parametrize(
    ("wire", "advice"),
    [
        ("unit_price", 'write "unitPrice"'),
        ("UnitPrice", 'write "unitPrice"'),
        ("unit-price", 'write "unitPrice"'),
        ("unit price", 'write "unitPrice"'),
        ("2nd", 'write "nd"'),
        ("", 'write "name"'),
        ("größe", "not camelCase"),
        ("class", "Python keyword"),
        ("from", "Python keyword"),
        ("list", 'such as "listValue"'),
        ("date", "a type in Python"),
        ("copy", "every Pydantic class"),
        ("modelFields", "every Pydantic class"),
    ],
)
def test_a_bad_field_name_is_refused_with_advice(wire: str, advice: str) -> None:
    with pytest.raises(BadName) as refusal:
        PythonName.from_wire(wire)
    assert advice in str(refusal.value)


@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("pageSize", "page_size"),
        ("X-Realm", "x_realm"),
        ("filter", "filter_"),
        ("class", "class_"),
        ("body", "body_"),
        ("call", "call_"),
        ("type", "type_"),
    ],
)
def test_a_parameter_never_hides_what_the_function_needs(wire: str, python: str) -> None:
    assert PythonName.parameter(wire) == python


@pytest.mark.parametrize(
    ("operation_id", "function"),
    [
        ("security_login", "login"),
        ("security_addRole", "add_role"),
        ("notes_list", "notes_list"),
        ("notes_match", "notes_match"),
        ("notes_router", "notes_router"),
        ("login", "login"),
        ("list", "list_"),
    ],
)
def test_a_function_has_the_last_word_of_its_operation_id(operation_id: str, function: str) -> None:
    assert PythonName.function(operation_id) == function


def test_a_function_has_its_whole_id_when_asked() -> None:
    assert PythonName.function("security_login", whole=True) == "security_login"


@pytest.mark.parametrize(
    ("name", "module", "constant"),
    [
        ("CompletionTask", "completion_task", "COMPLETION_TASK"),
        ("HTTPServer", "http_server", "HTTP_SERVER"),
        ("Order2", "order2", "ORDER2"),
    ],
)
def test_a_class_gives_its_module_and_constant(name: str, module: str, constant: str) -> None:
    assert FileName.of(ClassName(name)) == module
    assert Constant.of(name) == constant


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("orderLine", 'write "OrderLine"'),
        ("order-line", 'write "OrderLine"'),
        ("", 'write "Name"'),
        ("Record", "generated code itself"),
        ("EntityReference", "generated code itself"),
        ("ValueError", "generated code itself"),
        ("None", "generated code itself"),
        ("Class", "class.py"),
        ("Parcel" * 14, "has 84 characters: 80 are the most"),
        ("Aux", "aux.py"),
    ],
)
def test_a_bad_class_name_is_refused_with_advice(name: str, advice: str) -> None:
    with pytest.raises(BadName) as refusal:
        ClassName(name)
    assert advice in str(refusal.value)


@pytest.mark.parametrize("name", sorted(CLASSES_OF_GENERATED_CODE))
def test_names_of_generated_code_are_taken(name: str) -> None:
    with pytest.raises(BadName):
        ClassName(name)


def test_no_record_can_take_a_name_that_templates_write() -> None:
    of_the_application = {"Seams", "Settings"}
    written = {name for names in RUNTIME_NAMES.values() for name in names if name[0].isupper()}
    missing = written - of_the_application - CLASSES_OF_GENERATED_CODE
    assert missing == set(), "add these to CLASSES_OF_GENERATED_CODE in generator/naming.py"


def test_no_record_can_take_the_name_of_a_schema_of_the_runtime(sample_model: Model) -> None:
    bare = replace(sample_model, structures=(), endpoints=(), tools=())
    schemas = Describer(bare).shared.components["schemas"]
    assert schemas.keys() == SHARED_SCHEMAS, "SHARED_SCHEMAS in generator/runtime_names.py differs"


@pytest.mark.parametrize("name", ["catalog", "Document", "routers"])
def test_constants_of_generated_code_are_taken(name: str) -> None:
    with pytest.raises(BadName):
        Constant.of(name)


@pytest.mark.parametrize(
    ("owner", "field", "expected"),
    [
        ("Shipment", "lines", "ShipmentLine"),
        ("Shipment", "homeAddresses", "ShipmentHomeAddress"),
        ("ShipmentLine", "size", "ShipmentLineSize"),
    ],
)
def test_a_nested_object_is_named_for_its_owner_and_field(owner: str, field: str, expected: str) -> None:
    assert ClassName.nested(owner, field) == expected


def test_case_conversions() -> None:
    assert camel_case("shipment lines") == "shipmentLines"
    assert camel_case("HTTPServer") == "httpServer"
    assert kebab_case("CompletionTask") == "completion-task"
