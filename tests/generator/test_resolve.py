"""Resolving: what is given by itself, what the words of the language become, and the hook for filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from generator.filters import Structures
from generator.model import Field, Kind, Model, Record, Type
from generator.operations import STANDARD_OPERATIONS
from runtime.model.operation_names import EVERY_OPERATION
from runtime.model.record_type import Index
from tests.generator.conftest import Workshop

ModelOf = Callable[..., Model]
ProblemsOf = Callable[..., list[str]]

OF_ALL = tuple(row for row in STANDARD_OPERATIONS if not row.only_with)
"""The operations of a record of which nothing special is said."""


def test_the_runtime_knows_the_operations() -> None:
    assert {row.key for row in STANDARD_OPERATIONS} == EVERY_OPERATION, "see runtime/model/operation_names.py"


def record(model: Model, name: str) -> Record:
    return next(one for one in model.records if one.name == name)


def field(model: Model, line: str) -> Field:
    return next(one for one in record(model, "Parcel").fields if one.name == line)


def parcel(*lines: str) -> str:
    return "record: Parcel\nfields:\n" + "".join(f"  {line}\n" for line in lines)


def test_a_record_of_one_line_has_everything(model_of: ModelOf) -> None:
    found = record(model_of("record: ShipmentLine\n"), "ShipmentLine")
    assert {
        "constant": found.constant,
        "file": found.file_name,
        "area": found.area,
        "domain": found.domain,
        "plural": found.plural,
        "description": found.description,
        "path": found.path,
        "collection": found.collection,
        "roles": found.roles,
        "source": found.source,
        "on_delete": found.on_delete,
        "operations": found.operations,
        "indexes": found.indexes,
    } == {
        "constant": "SHIPMENT_LINE",
        "file": "shipment_line",
        "area": "logistics",
        "domain": "shipmentLine",
        "plural": "shipment lines",
        "description": "A shipment line.",
        "path": "/logistics/shipment-lines",
        "collection": "shipmentLines",
        "roles": ("user", "admin"),
        "source": "specs/logistics/example.yaml",
        "on_delete": "remove",
        "operations": OF_ALL,
        "indexes": (),
    }


def test_words_of_a_record_win_over_what_is_given(workshop: Workshop) -> None:
    text = (
        "record: Parcel\nplural: pieces of post\narea: post\nroles: [clerk]\naudited: true\n"
        "persistentEvents: true\nonDelete: archive\ndynamicAttributes: true\n"
        "validation: lenient\nontology: true\n"
        "endpoints: [save, list]\n"
    )
    files = {
        "specs/logistics/example.yaml": text,
        "specs/logistics/ontology.yaml": (
            "ontology: {predicates: {follows: {domain: Parcel, range: Parcel}}}\n"
        ),
    }
    found = record(workshop.model(files), "Parcel")
    assert (found.path, found.collection, found.area) == ("/post/pieces-of-post", "piecesOfPost", "post")
    assert (found.audited, found.persistent_events, found.lenient, found.dynamic_attributes) == (True,) * 4
    assert (found.on_delete, found.ontology, found.roles) == ("archive", True, ("clerk",))
    assert [row.key for row in found.operations] == ["list", "save"]


def test_no_endpoints_are_no_operations(model_of: ModelOf) -> None:
    assert record(model_of("record: Parcel\nendpoints: []\n"), "Parcel").operations == ()
    standard = record(model_of("record: Parcel\nendpoints: standard\n"), "Parcel")
    assert standard.operations == OF_ALL


@pytest.mark.parametrize(
    ("key", "needed"),
    [
        ("history", "audited: true, which keep revisions"),
        ("states", "a field that has states"),
        ("transitions", "a field that has states"),
        ("restore", "onDelete: archive, which keep deleted records"),
    ],
)
def test_an_operation_is_for_record_types_that_have_its_matter(
    problems_of: ProblemsOf, key: str, needed: str
) -> None:
    (found,) = problems_of(f"record: Parcel\nendpoints: [id, {key}]\n")
    assert "SPEC038" in found
    assert f'"{key}" is an operation of records with {needed}' in found


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("audited: true\n", {"history"}),
        ("onDelete: archive\n", {"restore"}),
        ("fields:\n  status: {states: parcelLifecycle}\n", {"states", "transitions"}),
    ],
)
def test_what_a_record_type_has_brings_its_operations(model_of: ModelOf, words: str, keys: set[str]) -> None:
    found = record(model_of(f"record: Parcel\n{words}"), "Parcel").operations
    assert {row.key for row in found} - {row.key for row in OF_ALL} == keys


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("x: string", Kind.STRING),
        ("x: text", Kind.TEXT),
        ("x: objectId", Kind.OBJECT_ID),
        ("x: {type: json}", Kind.JSON),
        ("x: {enum: [A]}", Kind.ENUM),
        ("x: {list: string}", Kind.LIST),
        ("x: {map: {type: integer}}", Kind.MAP),
        ("x: {object: {a: string}}", Kind.OBJECT),
        ("x: {structure: Address}", Kind.STRUCTURE),
        ("x: {reference: Country}", Kind.REFERENCE),
        ("x: {states: parcelLifecycle}", Kind.STATES),
    ],
)
def test_each_type_word_gives_its_kind(model_of: ModelOf, line: str, kind: Kind) -> None:
    assert field(model_of(parcel(line)), "x").type.kind is kind


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("string", Kind.STRING),
        ("{type: string}", Kind.STRING),
        ("{enum: [A, B]}", Kind.ENUM),
        ("{list: string}", Kind.LIST),
        ("{sku: string}", Kind.OBJECT),
        ("{type: {type: string}}", Kind.OBJECT),
        ("{enum: {type: string}, structure: {type: string}}", Kind.OBJECT),
        ("{object: {sku: string}}", Kind.OBJECT),
    ],
)
@pytest.mark.parametrize("word", ["list", "map"])
def test_a_collection_holds_a_type_or_objects_of_fields(
    model_of: ModelOf, word: str, item: str, kind: Kind
) -> None:
    found = field(model_of(parcel(f"lines: {{{word}: {item}}}")), "lines").type
    assert found.kind == word
    assert found.item is not None
    assert found.item.kind is kind


def test_a_list_may_hold_references(model_of: ModelOf) -> None:
    found = field(model_of(parcel("owners: {list: {reference: Country}}")), "owners").type
    assert found.item == Type(Kind.REFERENCE, target="Country")


def test_nested_objects_are_classes_named_for_where_they_stand(model_of: ModelOf) -> None:
    lines = field(model_of(parcel("lines: {list: {sizes: {map: {width: integer}}}}")), "lines").type.item
    assert lines is not None
    (sizes,) = lines.fields
    assert (lines.class_name, sizes.type.item and sizes.type.item.class_name) == (
        "ParcelLine",
        "ParcelLineSize",
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("{a: {type: string, renamedFrom: b}, b: string}", 'renamedFrom names the field "b", which still exists'),
        ("{a: {type: string, renamedFrom: a}}", 'renamedFrom names the field "a", which still exists'),
        ("{a: {type: string, renamedFrom: refName}}", 'renamedFrom names "refName", which every record has'),
        ("{a: {type: string, renamedFrom: id}}", 'renamedFrom names "id", which every record has'),
        ("{a: {type: string, renamedFrom: c.d}}", 'renamedFrom names no field: "c.d" is not camelCase'),
        ("{a: {type: string, renamedFrom: $c}}", 'renamedFrom names no field: "$c" is not camelCase'),
        ("{a: {type: string, renamedFrom: _lock}}", 'renamedFrom names no field: "_lock" is not camelCase'),
        ("{a: {type: string, renamedFrom: c}, b: {type: string, renamedFrom: c}}", 'names "c", as "a" does'),
        ("{a: {type: string, renamedFrom: c, unique: true}}", '"a" cannot be unique while records may hold it as'),
    ],
)  # fmt: skip
def test_a_former_name_must_be_one_that_no_other_field_can_have(
    problems_of: ProblemsOf, fields: str, message: str
) -> None:
    found = problems_of(f"record: Parcel\nfields: {fields}\n")
    assert len(found) == 1, found
    assert message in found[0]


@pytest.mark.parametrize(
    ("fields", "key", "column"),
    [
        ("{a: {object: {b: {type: string, renamedFrom: c}}}}", "a.b", 21),
        ("{a: {list: {b: {renamedFrom: c, object: {d: string}}}}, e: string}", "e, a.b.d", 24),
        ("{a: {map: {b: {type: string, renamedFrom: c}}}}", "a.key.b", 21),
        ("{a: {object: {b: {type: string, renamedFrom: c}, d: string}}}", "a.d", None),
    ],
)
def test_a_member_with_a_former_name_is_not_unique(
    problems_of: ProblemsOf, fields: str, key: str, column: int | None
) -> None:
    indexes = f"indexes: [{{fields: [{key}], unique: true}}, [activeStatus, {key}]]"
    found = problems_of(f"record: Parcel\nfields: {fields}\n{indexes}\n")
    assert len(found) == (column is not None), found
    for one in found:
        assert f'3:{column}: error[SPEC048] "b" cannot be unique while records may hold it as "c"' in one


def test_a_shared_seed_has_no_domain_of_its_own(problems_of: ProblemsOf) -> None:
    row = "{refName: a, dataDomain: {orgRefName: north}}"
    seeds = f"seeds:\n  - {{record: Country, shared: true, rows: [{row}]}}\n"
    (found,) = problems_of(seeds)
    assert "a row of a shared seed has no data domain of its own" in found


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("PT", None),
        ("{entityId: 65f1c0de65f1c0de65f1c0de}", None),
        ("{entityRefName: PT}", "has no entityId: write the refName of the Country as plain text"),
    ],
)
def test_a_seed_refers_by_ref_name(workshop: Workshop, value: str, message: str | None) -> None:
    record = "record: Parcel\nfields: {origin: {reference: Country}}\n"
    seeds = (
        f"seeds:\n  - {{record: Parcel, rows: [{{refName: a, origin: {value}}}]}}\n"
        "  - {record: Country, rows: [{refName: PT}]}\n"
    )
    found = workshop.problems({"specs/logistics/parcel.yaml": record, "specs/logistics/seeds.yaml": seeds})
    assert (len(found) == 1 and message in found[0]) if message else found == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a: {type: string, format: email, default: nobody}", 'default "nobody" does not have the format email'),
        ("a: {type: string, format: uuid, example: '1'}", 'example "1" does not have the format uuid'),
        ("a: {list: {type: string, format: time}, default: ['8']}", '[0]: "8" does not have the format time'),
        ("a: {type: string, format: email, pattern: '^n', default: nobody}", None),
        ("a: {type: string, format: email, default: ann@acme.example}", None),
        ("a: {type: json, default: {x: [{$set: 1}]}}", 'cannot have the key "$set"'),
        ("a: {type: json, example: {x.y: 1}}", 'cannot have the key "x.y"'),
        ("a: {map: integer, default: {'': 1}}", 'cannot have the key ""'),
        ("a: {object: {b: {type: json}}, default: {b: {$set: 1}}}", 'default b: {"$set": 1} cannot have the key'),
        ("a: {map: integer, default: {x-y: 1}}", None),
    ],
)  # fmt: skip
def test_a_value_of_a_field_is_one_that_a_record_may_have(
    problems_of: ProblemsOf, line: str, message: str | None
) -> None:
    found = problems_of(parcel(line))
    assert (len(found) == 1 and message in found[0]) if message else found == []


def test_the_class_of_an_object_can_be_too_long(problems_of: ProblemsOf) -> None:
    (found,) = problems_of(f"record: {'Parcel' * 13}\nfields: {{lines: {{list: {{code: string}}}}}}\n")
    assert "the class of the object lines would be" in found
    assert "of 82 characters: 80 are the most; rename the field, or make it a structure" in found


def test_what_is_never_stored_may_have_any_key(problems_of: ProblemsOf) -> None:
    assert problems_of("structure: Stage\nfields: {stage: {type: json, example: {$match: {a.b: 1}}}}\n") == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("activeStatus: GONE", 'activeStatus: "GONE" is not one of ACTIVE, INACTIVE, ARCHIVED'),
        ("dataDomain: {orgRef: north}", 'dataDomain: has no field "orgRef"; did you mean "orgRefName"?'),
        ("dataDomain: {dataSegment: x}", 'dataDomain: dataSegment: "x" is not a whole number'),
        ("displayName: 5", "displayName: 5 is not text"),
        ("activeStatus: INACTIVE", None),
        ("dataDomain: {orgRefName: north, dataSegment: 2}", None),
    ],
)
def test_common_fields_of_a_seed_are_checked(problems_of: ProblemsOf, row: str, message: str | None) -> None:
    found = problems_of(f"seeds:\n  - {{record: Country, rows: [{{refName: a, {row}}}]}}\n")
    assert (len(found) == 1 and message in found[0]) if message else found == []


BOUND_PARCEL = (
    "record: Parcel\nfields:\n  weight: {type: decimal}\n  most: {type: decimal, default: '9.5'}\n"
    "  sent: date\n  due: date\n  code: string\n  kind: {enum: [SMALL, LARGE]}\n  number: integer\n"
    "  target: {reference: Country}\n  full: {type: string, calculated: '{code}'}\n"
    "  status: {states: parcelLifecycle}\n  fragile: boolean\n"
    "  lines: {list: {sku: string, count: {type: integer, default: 2}, origin: {reference: Country}}}\n"
    "  size: {object: {width: {type: decimal, maximum: 9}, more: {object: {free: json}}}}\n"
    "  prices: {map: {sum: {type: decimal}}}\n  days: {list: date}\n"
)


@pytest.mark.parametrize(
    ("when", "row", "place"),
    [
        ("weight:>0", "weight: '0'", "'0'"),
        ("weight:>0", "weight: 0.5", None),
        ("weight:>0", "code: A", "{refName"),
        ("most:<9", "code: A", "{refName"),
        ("most:<9", "most: 8", None),
        ("due:>=$sent", "sent: 2026-03-02, due: 2026-03-01", "2026-03-02, due"),
        ("due:>=$sent", "sent: 2026-03-02, due: 2026-03-02", None),
        ("code:A*||refName:b", "code: B", "a, code"),
        ("code:A*||refName:a", "code: B", None),
        ("kind:SMALL || number:>#5", "number: 5, kind: LARGE", "5, kind"),
        ("status:SENT", "code: A", "{refName"),
        ("status:NEW && fragile:true", "fragile: true", None),
        ("fragile:true", "fragile: false", "false"),
        ("target.entityRefName:ES", "target: PT", "PT}"),
        ("target.entityRefName:P*", "target: PT", None),
        ("lines:every{count:>5}", "lines: [{count: 6}, {sku: A}]", "[{count"),
        ("lines:every{count:<5}", "lines: [{sku: A}]", None),
        ("lines.size:>1", "lines: [{sku: A}]", "[{sku"),
        ("lines.size:>0", "code: A", "{refName"),
        ("lines:{sku:A && count:2}", "lines: [{sku: A, count: 3}, {sku: B}]", "[{sku"),
        ("lines.origin.entityRefName:ES", "lines: [{origin: PT}]", "[{origin"),
        ("size.width:<=2.5", "size: {width: '2.51'}", "{width"),
        ("size:~", "code: A", "{refName"),
        ("prices.net.sum:>=1", "prices: {net: {sum: 0.5}, all: {sum: 2}}", "{net"),
        ("prices.net.sum:null || prices.net.sum:>=1", "prices: {all: {sum: 0}}", None),
        ("days:2026", "days: [2025-01-01]", "[2025"),
        ("days:every{value:>2024-12-31}", "days: [2025-01-01]", None),
        # The row alone does not decide these.
        ("lines.origin.entityId:~", "lines: [{sku: A}]", None),
        ("size.more.free.x:1", "size: {more: {free: {x: 2}}}", None),
        ("target:@@65f1c0de65f1c0de65f1c0de", "target: PT", None),
        ("full:B", "code: A", None),
        ("code:${principalId}", "code: A", None),
        ("dataDomain.orgRefName:north", "code: A", None),
        ("displayName:b", "code: A", None),
    ],
)
def test_a_seed_does_not_break_a_constraint(
    workshop: Workshop, when: str, row: str, place: str | None
) -> None:
    record = f"{BOUND_PARCEL}constraints: [{{when: {when!r}, message: not so}}]\n"
    seeds = (
        f"seeds:\n  - {{record: Parcel, rows: [{{refName: a, {row}}}]}}\n"
        "  - {record: Country, rows: [{refName: PT}]}\n"
    )
    files = {"specs/logistics/parcel.yaml": record, "specs/logistics/seeds.yaml": seeds}
    found = workshop.problems(files)
    message = f'error[SPEC090] not so: the row does not match the constraint "{when}"'
    if place is None:
        assert found == []
    else:
        column = seeds.splitlines()[1].index(place) + 1
        assert found == [f"specs/logistics/seeds.yaml:2:{column}: {message}"]
    lenient = workshop.problems({**files, "specs/logistics/parcel.yaml": f"{record}validation: lenient\n"})
    assert lenient == []


def test_words_of_a_field_reach_the_model(model_of: ModelOf) -> None:
    line = (
        "code: {type: string, description: ' The code. ', example: A, "
        "immutable: true, setBy: server, readOnly: true, deprecated: true, renamedFrom: label, "
        "minLength: 1, maxLength: 9}"
    )
    found = field(model_of(parcel(line)), "code")
    flags = (found.immutable, found.set_by_server, found.read_only, found.deprecated)
    assert flags == (True,) * 4
    assert field(model_of(parcel("code: {type: string, required: true}")), "code").required
    assert field(model_of(parcel("code: {type: string, hidden: true}")), "code").hidden
    assert (found.description, found.example, found.renamed_from) == ("The code.", "A", "label")
    assert found.type.constraints == {"minLength": 1, "maxLength": 9}


@pytest.mark.parametrize(
    ("said", "value"),
    [('"0.01"', 0.01), ("0.01", 0.01), ('"-5"', -5), ('"2.50"', 2.5), ('"12345678.25"', 12345678.25)],
)
def test_a_bound_may_be_in_quotes_like_any_decimal(model_of: ModelOf, said: str, value: float) -> None:
    found = field(model_of(parcel(f"price: {{type: decimal, minimum: {said}}}")), "price")
    assert found.type.constraints == {"minimum": value}


@pytest.mark.parametrize("said", ['"1,5"', '"1e3"', "cheap", "true", '"٣"'])
def test_a_bound_that_is_no_number_is_refused(problems_of: ProblemsOf, said: str) -> None:
    (problem,) = problems_of(parcel(f"price: {{type: decimal, minimum: {said}}}"))
    assert "error[SPEC014] expected a number, found " in problem


def test_no_digit_of_a_number_is_lost(problems_of: ProblemsOf) -> None:
    """What a number of 64 bits does not hold is refused: as a bound, and without quotes wherever it is."""
    long = "99999999999999999.99"
    (bound,) = problems_of(parcel(f'price: {{type: decimal, maximum: "{long}"}}'))
    assert f'error[SPEC014] expected a number of at most 15 digits, found "{long}"' in bound
    for word in ("default", "example", "maximum"):
        (problem,) = problems_of(parcel(f"price: {{type: decimal, {word}: {long}}}"))
        assert (
            f"error[SPEC008] {long} has more digits than a number of 64 bits, which would be 1e+17" in problem
        )
    assert problems_of(parcel(f'price: {{type: decimal, default: "{long}", example: 0.10}}')) == []


def test_users_are_credentials(problems_of: ProblemsOf) -> None:
    (unknown,) = problems_of(parcel("by: {reference: User}"))
    assert 'unknown record type "User"; the users of the service are of the record type Credential' in unknown


def test_states_and_references_carry_what_they_point_to(model_of: ModelOf) -> None:
    model = model_of(parcel("status: {states: parcelLifecycle}", "origin: {reference: Country}"))
    assert field(model, "status").type.values == ("NEW", "SENT")
    assert field(model, "status").type.target == "parcelLifecycle"
    assert field(model, "origin").type.target == "Country"


def test_a_graph_keeps_the_order_of_its_states(model_of: ModelOf) -> None:
    (graph,) = model_of("record: Parcel\n").graphs
    assert (graph.constant, graph.area) == ("PARCEL_LIFECYCLE", "logistics")
    assert [(name, one.next, one.initial, one.final) for name, one in graph.states.items()] == [
        ("NEW", ("SENT",), True, False),
        ("SENT", (), False, True),
    ]


@pytest.mark.parametrize(
    ("line", "keys", "unique"),
    [
        ("code: {type: string, unique: true}", "code", True),
        ("code: {type: string, indexed: true}", "code", False),
        ("tags: {list: string, indexed: true}", "tags", False),
        ("origin: {reference: Country, track: true}", "origin.entityId", False),
        ("origin: {reference: Country, indexed: true}", "origin.entityId", False),
        ("origin: {reference: Country, unique: true}", "origin.entityId", True),
        ("via: {list: {reference: Country}, track: true}", "via.entityId", False),
        ("lines: {list: {product: {reference: Country, track: true}}}", "lines.product.entityId", False),
    ],
)
def test_fields_ask_for_their_indexes(model_of: ModelOf, line: str, keys: str, unique: bool) -> None:
    assert record(model_of(parcel(line)), "Parcel").indexes == (Index(((keys, 1),), unique=unique),)


UNIQUE = Index((("code", 1),), unique=True)
PLAIN = Index((("code", 1),))


@pytest.mark.parametrize(
    ("words", "declared", "expected"),
    [
        pytest.param("unique: true, indexed: true", "", (UNIQUE, PLAIN), id="optional: one finds, one sorts"),
        pytest.param("unique: true, indexed: true, required: true", "", (UNIQUE,), id="required: one does both"),
        pytest.param("unique: true", "[code]", (PLAIN, UNIQUE), id="a declared index does not take it away"),
        pytest.param("unique: true", "{fields: [code], unique: true}", (UNIQUE,), id="declared the same"),
        pytest.param(
            "indexed: true", "{fields: [code], perRealm: true}", (replace(PLAIN, per_realm=True), PLAIN),
            id="one of the realm serves no list",
        ),
    ],
)  # fmt: skip
def test_a_unique_field_stays_unique_and_has_one_index(
    model_of: ModelOf, words: str, declared: str, expected: tuple[Index, ...]
) -> None:
    text = parcel(f"code: {{type: string, {words}}}") + (f"indexes:\n  - {declared}\n" if declared else "")
    assert record(model_of(text), "Parcel").indexes == expected


@pytest.mark.parametrize("extra", [0, 1])
def test_more_indexes_than_the_store_takes_are_refused(problems_of: ProblemsOf, extra: int) -> None:
    """Three are there anyway, a text field has one, each reference has one, declared or not."""
    fields = [f"f{at}: {{type: string, indexed: true}}" for at in range(57 + extra)]
    fields += ["to: {reference: Country, track: true}", "via: {list: {reference: Country}}"]
    found = problems_of(parcel(*fields, "note: text", "box: {object: {lid: {reference: Country}}}"))
    assert [one.partition(" ")[2] for one in found] == extra * [
        "error[SPEC053] Parcel has 65 indexes, but MongoDB allows 64 per collection; "
        "each indexed or unique field and each reference is one: drop some"
    ]


@pytest.mark.parametrize(
    ("index", "lists"),
    [
        ("[tags, lines.sku]", "lines and tags"),
        ("[code, lines.sku, via.entityId]", "via and lines"),
        ("[lines.parts.number, lines.marks]", "lines.marks and lines.parts"),
        ("[lines.sku, lines.quantity]", None),
        ("[lines.sku, lines.parts.number, code]", None),
        ("[tags, code]", None),
    ],
)
def test_an_index_over_two_lists_is_refused(problems_of: ProblemsOf, index: str, lists: str | None) -> None:
    line = "{sku: string, quantity: integer, marks: {list: string}, parts: {list: {number: string}}}"
    fields = [
        "code: string",
        "tags: {list: string}",
        "via: {list: {reference: Country}}",
        f"lines: {{list: {line}}}",
    ]
    found = problems_of(parcel(*fields) + f"indexes:\n  - {index}\n")
    message = f"error[SPEC053] {lists} are two lists, and an index takes one: write two indexes"
    assert [one.partition(" ")[2] for one in found] == ([message] if lists else [])


def test_a_plain_reference_has_no_index_of_its_own(model_of: ModelOf) -> None:
    assert record(model_of(parcel("origin: {reference: Country}")), "Parcel").indexes == ()


def test_declared_indexes_come_first_and_none_twice(model_of: ModelOf) -> None:
    text = parcel("code: {type: string, indexed: true}", "sentAt: datetime") + (
        "indexes:\n  - [code]\n  - [-sentAt, dataDomain.ownerId]\n"
        "  - {fields: [sentAt], expireAfterSeconds: 0}\n"
        "  - {fields: [code, sentAt], unique: true, perRealm: true}\n"
        "  - [code~ci]\n  - [-code~ci:sv, sentAt]\n"
    )
    assert record(model_of(text), "Parcel").indexes == (
        Index((("code", 1),)),
        Index((("sentAt", -1), ("dataDomain.ownerId", 1))),
        Index((("sentAt", 1),), per_realm=True, expire_after_seconds=0),
        Index((("code", 1), ("sentAt", 1)), unique=True, per_realm=True),
        Index((("code", 1),), language="en"),
        Index((("code", -1), ("sentAt", 1)), language="sv"),
    )


@pytest.mark.parametrize(
    ("path", "when"),
    [
        ("auditInfo.createdDate", ""),
        ("address.street", ""),
        ("lines.sku", ""),
        ("labels.anything", ""),
        ("origin.entityRefName", ""),
        ("dynamicAttributes.size.width", "dynamicAttributes: true\n"),
    ],
)
def test_a_path_walks_through_whatever_holds_fields(problems_of: ProblemsOf, path: str, when: str) -> None:
    text = parcel(
        "address: {structure: Address}",
        "lines: {list: {sku: string}}",
        "labels: {map: string}",
        "origin: {reference: Country}",
    )
    assert problems_of(f"{text}{when}indexes:\n  - [{path}]\n") == []


def endpoint(**changes: str) -> str:
    words = {
        "id": "notes_add",
        "method": "POST",
        "path": "/notes/all",
        "summary": "Add a note.",
        "handler": "notes.routes:add",
    }
    return (
        "endpoints:\n  - "
        + "\n    ".join(f"{word}: {value}" for word, value in (words | changes).items())
        + "\n"
    )


def test_an_endpoint_has_its_action_and_domain_from_method_and_path(model_of: ModelOf) -> None:
    (found,) = model_of(endpoint()).endpoints
    assert (found.action, found.domain, found.area, found.function) == ("CREATE", "all", "logistics", "add")
    assert (found.handler_module, found.handler_function) == ("notes.routes", "add")
    assert (found.summary, found.method, found.status) == ("Add a note", "post", 204)


def test_words_of_an_endpoint_win(model_of: ModelOf) -> None:
    text = endpoint(
        action="SEND",
        domain="note",
        area="post",
        request="Address",
        response="Address",
        status="201",
        errors="[422, 409]",
    )
    (found,) = model_of(text).endpoints
    assert (found.action, found.domain, found.area) == ("SEND", "note", "post")
    assert found.request is found.response is not None
    assert (found.status, found.errors) == (201, (409, 422))


def test_parameters_find_their_place(model_of: ModelOf) -> None:
    text = endpoint(
        path="/notes/{kind}",
        parameters="{kind: {enum: [a]}, X-Trace: {type: string, in: header}, filter: {list: string}}",
    )
    (found,) = model_of(text).endpoints
    assert [(one.name, one.python_name, one.location, one.required) for one in found.parameters] == [
        ("kind", "kind", "path", True),
        ("X-Trace", "x_trace", "header", False),
        ("filter", "filter_", "query", False),
    ]


PATHS = "{ByCode: '/notes/code/{code}', ByTitle: '/notes/title/{title}'}"
OF_SUFFIXES = "{ByRefName: '/notes/{note}', Latest: '/notes/latest', At: '/notes/at/{code}'}"
BOTH = "{code: string, title: string, since: date}"


def test_an_endpoint_may_have_several_paths(model_of: ModelOf) -> None:
    text = endpoint(id="notes_get", method="GET", path=PATHS, summary="Get a note.", parameters=BOTH)
    found = model_of(text).endpoints
    assert [(one.operation_id, one.function, one.path, one.summary) for one in found] == [
        ("notes_getByCode", "get_by_code", "/notes/code/{code}", "Get a note by code"),
        ("notes_getByTitle", "get_by_title", "/notes/title/{title}", "Get a note by title"),
    ]
    assert [[parameter.name for parameter in one.parameters] for one in found] == [
        ["code", "since"],
        ["title", "since"],
    ]


def test_a_suffix_says_by_what_a_path_finds(model_of: ModelOf) -> None:
    parameters = "{note: string, code: string}"
    text = endpoint(
        id="notes_get", method="GET", path=OF_SUFFIXES, summary="Get a note", parameters=parameters
    )
    assert {one.operation_id: one.summary for one in model_of(text).endpoints} == {
        "notes_getByRefName": "Get a note by ref name",
        "notes_getLatest": "Get a note",
        "notes_getAt": "Get a note by code",
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"path": "{}"}, "an endpoint has at least one path"),
        (
            {"path": PATHS, "parameters": "{code: string}"},
            "{title} of the path is not declared in parameters",
        ),
        ({"path": PATHS.replace("ByCode", "by code")}, '"notes_addby code" is not a valid operation id'),
        ({"path": PATHS.replace("/notes/code", "notes/code")}, '"notes/code/{code}" is not a valid path'),
        ({"path": PATHS, "action": "send"}, '"send" is not a valid action'),
    ],
)
def test_several_paths_are_checked_each(
    problems_of: ProblemsOf, changes: dict[str, str], message: str
) -> None:
    found = problems_of(endpoint(**({"parameters": BOTH} | changes)))
    assert len(found) == 1, found
    assert message in found[0]


def test_functions_of_one_area_that_would_share_a_name_take_their_whole_id(workshop: Any) -> None:
    one, other = endpoint(), endpoint(id="letters_add", path="/letters")
    far = endpoint(id="far_add", path="/far")
    files = {"specs/a/one.yaml": one, "specs/a/two.yaml": other, "specs/b/three.yaml": far}
    functions = {found.operation_id: found.function for found in workshop.model(files).endpoints}
    assert functions == {"notes_add": "notes_add", "letters_add": "letters_add", "far_add": "add"}


def test_parts_are_sorted_by_name_whatever_their_files_are_called(workshop: Any) -> None:
    files = {
        f"specs/z/{letter}.yaml": f"record: {name}\n"
        for letter, name in zip("abc", ["Zoo", "Ant", "Mug"], strict=True)
    }
    assert [one.name for one in workshop.model(files).records] == ["Ant", "Country", "Mug", "Zoo"]


@pytest.mark.parametrize(
    ("condition", "doubt"),
    [
        ("kin:${principalId}", "${principalId} is not a value of kin.entityId where users have ids such as"),
        ("code:a || lines:{kin:!${ownerId}}", "${ownerId} is not a value of kin.entityId"),
        ("number:${principalId}", "${principalId} is not a value of number"),
        ("code:${roles}", "${roles} is a list: write code:^${roles}; as it is, an ALLOW matches no record"),
        ("code:^${principalId} && dataDomain.ownerId:${principalId}", "${principalId} is one value"),
        # Ids of accounts may be those of records, and an enumerated value may be the id of a user.
        ("kin:${resourceId} || kin:${pAccountId} || kind:${principalId} && code:${principalId}", None),
        ('code:^${roles} || code:"${principalId}" || kin.entityRefName:${principalId}', None),
    ],
)
def test_a_rule_that_hardly_a_caller_has_values_for_is_doubted(
    workshop: Workshop, condition: str, doubt: str | None
) -> None:
    fields = "kin: {reference: Country}, lines: {list: {kin: {reference: Country}}}, number: integer"
    header = "{identity: user, area: logistics, functionalDomain: parcel, action: VIEW}"
    rule = f"{{name: r, securityURI: {{header: {header}}}, effect: ALLOW, filter: '{condition}'}}"
    files = {
        "specs/logistics/parcel.yaml": "record: Parcel\nfields: "
        f"{{{fields}, code: string, kind: {{enum: [north, south]}}}}\n",
        "specs/logistics/rules.yaml": f"rules:\n  - {rule}\n",
    }
    found = [one.show("warning") for one in workshop.model(files).warnings]
    assert len(found) == (doubt is not None), found
    for one in found:
        assert doubt is not None
        assert f"warning[SPEC080] {doubt}" in one


def test_areas_are_those_in_use_described_or_not(workshop: Any) -> None:
    service = (
        'title: T\nversion: "1.0"\nroles: {clerk: Works.}\nareas: {post: Letters., unused: Nothing yet.}\n'
    )
    model = workshop.model({"specs/service.yaml": service, "specs/post/a.yaml": "record: Letter\n"})
    assert [(area.name, area.description) for area in model.areas] == [
        ("post", "Letters."),
        ("logistics", "Logistics"),
    ]
    assert model.roles == ("admin", "clerk", "system", "user")


@pytest.mark.parametrize(
    ("deed", "argument", "message"),
    [
        ("save", "lines: {list: {sku: {type: integer, required: true}}}", "lines.sku of Parcel is a string"),
        ("save", "lines: {list: {count: integer}}", "lines of Parcel is never saved without sku"),
        ("save", "lines: {list: {sku: string, cout: integer}}", 'has no field "cout"; did you mean "count"?'),
        ("save", "lines: {list: string}", "lines of Parcel is an object"),
        ("save", "marks: {map: {at: integer}}", "marks.at of Parcel is a date"),
        ("save", "place: {object: {zip: string}}", "place of Parcel is never saved without street"),
        ("save", "place: {structure: Place}", None),
        ("save", "lines: {list: {sku: {type: string, maxLength: 3}}}", None),
        ("save", "marks: {map: {at: string}}", None),
        ("save", "free: {object: {any: string}}", None),
        ("transition", "place: {object: {zip: string}}", None),
        ("transition", "lines: {list: {count: integer}}", "lines of Parcel is never saved without sku"),
    ],
)
def test_an_argument_has_members_that_the_record_takes(
    workshop: Workshop, deed: str, argument: str, message: str | None
) -> None:
    fields = (
        "  status: {states: parcelLifecycle}\n  free: json\n  place: {structure: Place}\n"
        "  lines: {list: {sku: {type: string, required: true}, count: integer}}\n"
        "  marks: {map: {at: date}}\n"
    )
    words = "to: SENT, " if deed == "transition" else ""
    of_id = "id: {type: objectId, required: true}, " if deed == "transition" else ""
    tool = f"{{name: t, description: T., {deed}: Parcel, {words}arguments: {{{of_id}{argument}}}}}"
    files = {
        "specs/logistics/parcel.yaml": f"record: Parcel\nfields:\n{fields}",
        "specs/logistics/place.yaml": "structure: Place\nfields: {street: {type: string, required: true}, zip: string}\n",
        "specs/logistics/tools.yaml": f"tools:\n  - {tool}\n",
    }
    found = workshop.problems(files)
    assert (len(found) == 1 and message in found[0]) if message else found == []


@pytest.mark.parametrize(
    ("tool", "destructive"),
    [
        ("save: Country, arguments: {refName: string}", False),
        ("save: Country, arguments: {id: objectId}", True),
        ("count: Country", False),
        ("call: elsewhere/any", True),
    ],
)
def test_tools_that_may_replace_what_is_stored_say_so(
    model_of: ModelOf, tool: str, destructive: bool
) -> None:
    (found,) = model_of(f"tools:\n  - {{name: t, description: d, {tool}}}\n").tools
    assert found.destructive is destructive


def refuse_all(text: str, kind: Record, structures: Structures) -> str | None:
    return f'"{text}" over {kind.name}'


FILTERS = {
    "constraint": (parcel("label: string") + "constraints:\n  - {when: bad, message: m}\n", "5:12"),
    "tool": ("tools:\n  - {name: t, description: d, query: Country, filter: bad}\n", "2:55"),
    "rule": (
        "rules:\n  - name: r\n    effect: ALLOW\n    filter: bad\n"
        "    securityURI: {header: {area: logistics, functionalDomain: Country}}\n",
        "4:13",
    ),
}


@pytest.mark.parametrize(("text", "place"), FILTERS.values(), ids=FILTERS)
def test_filters_are_checked_by_the_function_handed_in(
    problems_of: ProblemsOf, text: str, place: str
) -> None:
    (found,) = problems_of(text, check_filter=refuse_all)
    assert found.startswith(f'{place}: error[SPEC080] the filter does not compile: "bad" over ')


ENGINE = {
    "a filter that compiles": ("lines:{quantity:>3} && weight:<=##2.5 && to.street:Lis*", None),
    "no operator": ("bad", "SPEC080"),
    "a text search": (
        'text("late")',
        "is for filters of requests, not of rules, constraints, webhooks and tools",
    ),
    "an unknown field": ("wieght:>1", "did you mean weight?"),
    "a value of another type": ("weight:>heavy", "weight is a decimal"),
    "a field of a structure": ("to.stret:x", "did you mean street"),
    "an unknown state": ("lines.quantity:x", "integer"),
    "a variable": ("dataDomain.ownerId:${principalId}", None),
    "an unknown variable": ("dataDomain.ownerId:${principal}", "unknown variable ${principal}; did you mean"),
    "no variable, in quotes": ('lines.sku:"${principal}"', None),
    "a reference": ("country.entityRefName:PT", None),
    "a reference compared with text": ("country:PT", "country.entityRefName"),
    "a hidden field": ("secret:x", "SPEC054"),
}


@pytest.mark.parametrize(("text", "said"), ENGINE.values(), ids=ENGINE)
def test_filters_are_checked_by_the_engine_that_will_run_them(
    problems_of: ProblemsOf, text: str, said: str | None
) -> None:
    record = (
        "record: Parcel\nfields:\n  weight: decimal\n  secret: {type: string, hidden: true}\n"
        "  to: {structure: Address}\n  country: {reference: Country}\n"
        "  lines: {list: {sku: string, quantity: integer}}\n"
        f"constraints:\n  - {{when: '{text}', message: m}}\n"
    )
    found = problems_of(record)
    assert len(found) == (said is not None), found
    assert said is None or said in found[0]


def test_a_rules_filter_is_checked_over_every_record_type_it_matches(workshop: Any) -> None:
    asked = []

    def accept(text: str, kind: Record, structures: Structures) -> None:
        asked.append((text, kind.name))

    rule = "  - {{name: {0}, effect: DENY, filter: '{0}:x', securityURI: {{header: {{{1}}}}}}}\n"
    headers = {
        "everything": "",
        "any": "area: '*'",
        "some": "area: l*, functionalDomain: '?????RY'",
        "none": "area: '*x*'",
        "other": "area: post",
    }
    text = "rules:\n" + "".join(rule.format(*one) for one in headers.items())
    files = {"specs/logistics/rules.yaml": text, "specs/post/letter.yaml": "record: Letter\n"}
    assert workshop.problems(files, check_filter=accept) == []
    assert asked == [
        *(("everything:x", "Country"), ("everything:x", "Letter"), ("any:x", "Country"), ("any:x", "Letter")),
        *(("some:x", "Country"), ("other:x", "Letter")),
    ]


def test_an_import_profile_is_stored_as_the_record_says(model_of: ModelOf) -> None:
    text = (
        "importProfile: countries\ntarget: Country\ncolumnMappings:\n"
        "  - {sourceColumn: n, targetField: name, lookup: {record: Country, match: name}}\n"
    )
    (found,) = model_of(text).import_profiles
    (row,) = found.rows
    assert (found.record, row["refName"], row["targetType"]) == (
        "ImportProfile",
        "countries",
        "logistics.Country",
    )
    (column,) = cast(list[dict[str, object]], row["columnMappings"])
    assert column["lookup"] == {
        "lookupCollection": "countries",
        "lookupMatchField": "name",
        "lookupReturnField": "id",
        "onNotFound": "FAIL",
    }


def test_the_transformations_of_a_column_are_kept_together(model_of: ModelOf) -> None:
    text = (
        "importProfile: countries\ntarget: Country\nunmappedColumns: IGNORE\ncolumnMappings:\n"
        "  - {sourceColumn: n, targetField: name, trim: true, regex: {pattern: x}, dateFormat: d.M.yy, valueMappings: {a: b}}\n"
    )
    (found,) = model_of(text).import_profiles
    assert found.rows == (
        {
            "refName": "countries",
            "targetType": "logistics.Country",
            "unmappedColumns": "IGNORE",
            "columnMappings": [
                {
                    "sourceColumn": "n",
                    "targetField": "name",
                    "valueMappings": {"a": "b"},
                    "transformations": {"trim": True, "regex": {"pattern": "x"}, "dateFormat": "d.M.yy"},
                }
            ],
        },
    )


def test_a_rule_is_stored_without_what_it_does_not_say(model_of: ModelOf) -> None:
    (found,) = model_of(
        "rules:\n  - {name: r, effect: ALLOW, securityURI: {header: {identity: clerk}}}\n"
    ).rules
    assert found["securityURI"] == {"header": {"identity": "clerk"}, "body": {}}
    assert found["priority"] == 10


def test_a_large_corpus_resolves(workshop: Any) -> None:
    line = "  name{n}: {{type: string, maxLength: 200, description: The {n}th.}}\n"
    files = {
        f"specs/big/thing{i}.yaml": (
            f"record: Thing{i}\nfields:\n  next: {{reference: Thing{(i + 1) % 300}}}\n"
            + "".join(line.format(n=n) for n in range(60))
        )
        for i in range(300)
    }
    model = workshop.model(files)
    assert len(model.records) == 301
    assert sum(len(one.fields) for one in model.records) == 300 * 61 + 2


def test_a_record_with_a_broken_field_hides_no_problem_of_another(workshop: Any) -> None:
    files = {
        "specs/a/one.yaml": "record: One\nfields:\n  two: {reference: Two}\n  bad: strin\n",
        "specs/a/two.yaml": "record: Two\nfields:\n  one: {reference: One}\n  bad: integr\n",
    }
    assert [line.split(": ")[0] for line in workshop.problems(files)] == [
        "specs/a/one.yaml:4:8",
        "specs/a/two.yaml:4:8",
    ]


ONE_MISTAKE = {
    "a role in upper case": (
        {
            "specs/service.yaml": 'title: Parcels\nversion: "1.0.0"\nroles: [Clerk]\n',
            "specs/logistics/parcel.yaml": "record: Parcel\nroles: [clerk]\n",
        },
        '"Clerk" is not a valid role name',
    ),
    "a predicate between unknown record types": (
        {
            "specs/logistics/ontology.yaml": (
                "ontology:\n  predicates:\n    sentTo: {domain: Parcl, range: Country}\n"
            ),
            "specs/logistics/parcel.yaml": (
                "record: Parcel\nfields:\n  to: {reference: Country, predicate: sentTo}\n"
            ),
        },
        'unknown record type "Parcl"; did you mean "Parcel"?',
    ),
    "the former name of a record type": (
        {
            "specs/logistics/parcel.yaml": "record: Parcel\nrenamedFrom: Packet\n",
            "specs/logistics/van.yaml": "record: Van\nfields:\n  load: {reference: Packet}\n",
        },
        'unknown record type "Packet"; it is called "Parcel" since',
    ),
}


@pytest.mark.parametrize(("files", "message"), ONE_MISTAKE.values(), ids=ONE_MISTAKE)
def test_one_mistake_is_one_problem(workshop: Workshop, files: dict[str, str], message: str) -> None:
    (found,) = workshop.problems(files)
    assert message in found
