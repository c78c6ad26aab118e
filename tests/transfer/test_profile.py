"""Import profiles: which are refused, which files fit them, and what becomes of rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.imports import RowCode
from runtime.errors import CsvProblem, InvalidParameter, StoreUnavailable
from runtime.model.catalog import Catalog
from runtime.model.nearest import MOST_CANDIDATES
from runtime.model.record import Record, RecordInput
from runtime.model.record_type import Index, RecordType
from runtime.records.document.dynamic import Written
from runtime.seams import ImportContext, Resolution, RowValueResolver
from runtime.transfer.profiles.heading import read_headings
from runtime.transfer.profiles.lookup import Lookup, Result, Unclear
from runtime.transfer.profiles.mapper import RowMapper
from runtime.transfer.profiles.profile import Plan, prepare
from runtime.transfer.profiles.profile_check import find_profile_problems
from runtime.transfer.rows.dynamic import Merge, merge_attributes
from runtime.transfer.rows.intent import Intent, decide_intent, read_intent
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import InputRow
from tests.records.parcels import ID, OTHER_ID, PARCEL

KIND = replace(PARCEL, indexes=(Index((("code", 1),), unique=True), Index((("label", 1),))))
CATALOG = Catalog((KIND,))
CARRIER: RecordType[Any] = RecordType(
    name="Carrier", area="post", domain="carrier", model=Record, input=RecordInput,
    collection="carriers", base_path="/post/carriers",
)  # fmt: skip


class Table:
    """Look-ups answered from a table; it keeps what it was asked."""

    def __init__(self, **found: Result) -> None:
        self.found = found
        self.others: Collection[str] | StoreUnavailable = found
        self.asked: list[list[str]] = []

    async def find(
        self, lookup: Lookup, values: Collection[str], tenant: str | None = None
    ) -> Mapping[str, Result]:
        self.asked.append(sorted(values))
        return {value: self.found[value] for value in values if value in self.found}

    async def list_values(self, lookup: Lookup, tenant: str | None = None) -> Collection[str]:
        if isinstance(self.others, StoreUnavailable):
            raise self.others
        return self.others


def column(source: str, target: str, **members: Any) -> dict[str, Any]:
    return {"sourceColumn": source, "targetField": target, **members}


def profile(*columns: dict[str, Any], **members: Any) -> dict[str, Any]:
    mappings = list(columns) or [column("Name", "refName"), column("Label", "label")]
    return {"refName": "legacy", "targetType": "post.Parcel", "columnMappings": mappings, **members}


def plan(
    *columns: dict[str, Any], resolvers: Mapping[str, RowValueResolver] | None = None, **members: Any
) -> Plan:
    return prepare(profile(*columns, **members), KIND, CATALOG, resolvers or {})


def rows(
    of: Plan, header: str, *lines: str, table: Table | None = None, guard: bool = True
) -> list[InputRow]:
    """What the rows of a file ask for; cells have ``|`` between them."""
    mapper = mapper_of(of, *header.split("|"), guard=guard)
    numbered = [(number, line.split("|")) for number, line in enumerate(lines, 1)]
    return asyncio.run(mapper.read(numbered, table or Table(), is_last=True))


def mapper_of(of: Plan, *header: str, guard: bool = True) -> RowMapper:
    layout = of.layout(header, guard=guard)
    return RowMapper(layout, layout.terms, realm="acme", session="s-1", profile="legacy")


def row(of: Plan, header: str, line: str, **more: Any) -> InputRow:
    (found,) = rows(of, header, line, **more)
    return found


def value(target: str, cell: str, **members: Any) -> Any:
    """What one cell becomes."""
    found = row(plan(column("X", target, **members)), "X", cell)
    assert found.errors == ()
    return found.values[target]


def summarize_errors(errors: Sequence[RowError]) -> list[tuple[str, str | None, str | None]]:
    return [(str(error.code), error.field, error.value) for error in errors]


# Values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "cell", "stored"),
    [
        ("label", " Lamp ", " Lamp "),
        ("label", "", None),
        ("size", "L", "L"),
        ("count", "12", 12),
        ("ratio", "2.5", 2.5),
        ("weight", "1.50", Decimal128("1.50")),
        ("urgent", "true", True),
        ("born", "2026-03-27", "2026-03-27"),
        ("source", ID, ObjectId(ID)),
        ("tags", '["a", "b"]', ["a", "b"]),
        ("extra", '{"a": 1}', {"a": 1}),
        ("place.city", "Porto", "Porto"),
        ("customer.entityId", ID, ObjectId(ID)),
        ("customer.entityRefName", "ANN", "ANN"),
        ("words.colour", "red", "red"),
    ],
)
def test_cells_are_typed_by_their_field(target: str, cell: str, stored: Any) -> None:
    assert value(target, cell) == stored


def test_a_date_of_another_spelling() -> None:
    dates = {"dateFormat": "dd.MM.yyyy HH:mm"}
    assert value("born", "27.03.2026 23:30", transformations=dates) == "2026-03-27"
    found = value("dueAt", "27.03.2026 23:30", transformations=dates)
    assert found.isoformat() == "2026-03-27T23:30:00+00:00"


@pytest.mark.parametrize(
    ("target", "cell", "members", "stored"),
    [
        ("tags", "a;b", {}, ["a", "b"]),
        ("tags", "a; b;;", {}, ["a", " b"]),
        ("tags", " a ; b ", {"transformations": {"trim": True, "case": "UPPER"}}, ["A", "B"]),
        ("tags", "r;g", {"valueMappings": {"r": "red", "g": "green"}, "unmappedValueBehavior": "FAIL"}, ["red", "green"]),
        ("tags", "r;x", {"valueMappings": {"r": "red"}, "unmappedValueBehavior": "NULL"}, ["red"]),
        ("tags", "one", {}, ["one"]),
        ("tags", "", {}, None),
        ("tags", " ; ", {}, None),
        ("tags", "", {"transformations": {"default": "new"}}, ["new"]),
        ("tags", '["a"]', {}, ['["a"]']),
        ("tags", "a, b", {"listSeparator": ", "}, ["a", "b"]),
        ("carriers.entityRefName", "UPS;DHL", {}, [{"entityRefName": "UPS"}, {"entityRefName": "DHL"}]),
        ("carriers.entityId", f"{ID};{OTHER_ID}", {}, [{"entityId": ObjectId(ID)}, {"entityId": ObjectId(OTHER_ID)}]),
    ],
)  # fmt: skip
def test_a_cell_of_several_elements(target: str, cell: str, members: dict[str, Any], stored: Any) -> None:
    found = row(plan(column("X", target, **{"listSeparator": ";", **members})), "X", cell)
    assert found.errors == ()
    assert found.values == {target.split(".")[0]: stored}


def test_each_element_is_looked_up() -> None:
    of = plan(column("X", "carriers", listSeparator=";", **lookup(lookupMatchField="code")))
    table = Table(UPS=ID, DHL=OTHER_ID, TWO=Unclear.SEVERAL)
    good, wrong = rows(of, "X", "UPS;DHL;UPS", "UPS;TNT;TWO", table=table)
    assert good.values == {"carriers": [{"entityId": ObjectId(one)} for one in (ID, OTHER_ID, ID)]}
    assert table.asked == [["DHL", "TNT", "TWO", "UPS"]]
    assert summarize_errors(wrong.errors) == [("LOOKUP", "carriers", "TNT"), ("LOOKUP", "carriers", "TWO")]
    assert wrong.values == {}


def test_every_element_that_cannot_be_read_is_told() -> None:
    found = row(plan(column("X", "carriers.entityId", listSeparator=";")), "X", f"{ID};UPS;DHL")
    assert summarize_errors(found.errors) == [("PARSE", "carriers", "UPS"), ("PARSE", "carriers", "DHL")]
    assert "map carriers.entityRefName" in found.errors[0].message
    assert found.values == {}


def test_a_cell_of_several_choices() -> None:
    of = plan(column("dyn.s.w:MultiSelect", "dynamicAttributes.s.w", listSeparator=";"))
    found = row(of, "dyn.s.w:MultiSelect", "a;b")
    assert found.attributes == {"s": {"w": {"type": "MultiSelect", "value": ["a", "b"]}}}
    assert row(of, "dyn.s.w:MultiSelect", "").attributes == {}
    untyped = plan(column("W", "dynamicAttributes.s.w", listSeparator=";"))
    found = row(untyped, "W", "1;2")
    assert merged(found) == {"s": {"w": {"type": "MultiSelect", "value": ["1", "2"]}}}
    of = plan(column("dyn.s.w:Double", "dynamicAttributes.s.w", listSeparator=";"))
    assert summarize_errors(row(of, "dyn.s.w:Double", "1;2").errors) == [
        ("PARSE", "dynamicAttributes.s.w", "1")
    ]


def merged(found: InputRow) -> Any:
    after, errors = merge_attributes(None, found.attributes, Merge.MERGE)
    assert errors == []
    return after


def test_a_guarded_cell_is_what_it_was_before() -> None:
    assert row(plan(column("X", "label")), "X", "'=1+1").values == {"label": "=1+1"}
    assert row(plan(column("X", "label")), "X", "'=1+1", guard=False).values == {"label": "'=1+1"}


@pytest.mark.parametrize(
    ("target", "cell", "message", "suggestion"),
    [
        ("count", "many", "count takes an integer, as in 5", None),
        ("size", "l", "size takes one of S, M, L, as in L", "L"),
        ("size", "huge", "size takes one of S, M, L, as in S", None),
        ("size", "m", "size takes one of S, M, L", "M"),
        ("count", "5,00", "count takes an integer, as in 5", "5"),
        ("born", "31.12.2025", "born takes a date written yyyy-MM-dd, as in 2026-03-27", "2025-12-31"),
        ("urgent", "True", "urgent takes a boolean, as in true", "true"),
        ("born", "2026-02-30", "born takes a date and 2026-02-30 is not in the calendar, as in 2026-03-27", None),
        ("dueAt", "2026-03-27T04:12", "needs a zone", "2026-03-27T04:12Z"),
        ("tags", "a;b", "tags takes JSON", None),
    ],
)  # fmt: skip
def test_a_cell_that_the_field_cannot_take(
    target: str, cell: str, message: str, suggestion: str | None
) -> None:
    found = row(plan(column("X", target)), "X", cell)
    assert summarize_errors(found.errors) == [("PARSE", target, cell)]
    assert message in found.errors[0].message
    assert found.errors[0].suggestion == suggestion
    assert target not in found.values


def test_every_error_of_a_row_is_told() -> None:
    of = plan(
        column("A", "count"),
        column("B", "size", valueMappings={"s": "S"}, unmappedValueBehavior="FAIL"),
        column("C", "label"),
    )
    found = row(of, "A|B|C", "many|x|Lamp")
    assert sorted(summarize_errors(found.errors)) == [("MAPPING", "size", "x"), ("PARSE", "count", "many")]
    assert found.values == {"label": "Lamp"}


def test_a_row_with_another_number_of_cells() -> None:
    few, many, right = rows(plan(), "Name|Label", "A", "A|B|C", "A|Lamp")
    assert summarize_errors(few.errors) == [("PARSE", None, "1")]
    assert many.errors[0].message == "has 3 cells, the header has 2"
    assert (right.errors, right.number, right.raw) == ((), 3, {"Name": "A", "Label": "Lamp"})


# Headers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "message"),
    [
        pytest.param("Name|Lable", "the profile legacy does not map Lable; did you mean Label?", id="a misspelt column"),
        pytest.param("Name", "Label is missing, which the profile legacy maps", id="a missing column"),
        pytest.param("Name|Label|Name", "column 3: Name is column 1 already", id="a column twice"),
        pytest.param("Name| |Label", "column 2: has no name", id="a column without a name"),
        pytest.param("Name|Label|More", "column 3: the profile legacy does not map More", id="one column more"),
        pytest.param("name|Label", "does not map name", id="another case"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit(header: str, message: str) -> None:
    with pytest.raises(CsvProblem) as refused:
        rows(plan(), header)
    assert message in refused.value.message


def test_all_missing_columns_are_reported_with_the_separator_that_splits_the_header() -> None:
    with pytest.raises(CsvProblem) as refused:
        rows(plan(unmappedColumns="IGNORE"), "Name;Label")
    missing = "Name, Label are missing, which the profile legacy maps"
    hint = "the cells have a semicolon between them: send it as fieldSeparator (%3B in a URL)"
    assert refused.value.message == f"the header: {missing}; {hint}"


def test_of_several_missing_columns_each_may_have_been_misspelt() -> None:
    with pytest.raises(CsvProblem) as refused:
        rows(plan(unmappedColumns="IGNORE"), "Nmae|Labl")
    missing = "Name, Label are missing, which the profile legacy maps"
    assert refused.value.message == f"the header: {missing}; did you mean Nmae or Labl?"


@pytest.mark.parametrize("text", ["*", " ? ", "~", "#"])
def test_a_header_that_is_only_a_modifier(text: str) -> None:
    with pytest.raises(CsvProblem) as refused:
        read_headings(["Name", text], has_modifiers=True)
    message = f"the header, column 2: {text.strip()} is only a modifier: write it behind a name"
    assert refused.value.message.startswith(message)


def test_the_order_of_columns_and_blanks_around_names_do_not_count() -> None:
    assert row(plan(), "Label | Name", "Lamp|A").values == {"refName": "A", "label": "Lamp"}


def test_columns_that_nobody_names_are_ignored_when_the_profile_says_so() -> None:
    of = plan(unmappedColumns="IGNORE")
    assert row(of, "Name|More|Label|dyn.a.b", "A|x|Lamp|1").values == {"refName": "A", "label": "Lamp"}


def test_modifiers_mean_nothing_unless_asked_for() -> None:
    found = row(plan(column("Name*", "refName"), column("Sure?", "label")), "Name*|Sure?", "|Lamp")
    assert (found.errors, found.values) == ((), {"refName": None, "label": "Lamp"})


# Header modifiers ---------------------------------------------------------------------------------


def modified(*columns: dict[str, Any]) -> Plan:
    return plan(*columns, headerModifiers=True)


def test_a_required_column_has_a_value_in_each_row() -> None:
    of = modified(column("Name", "refName"), column("Label", "label", transformations={"trim": True}))
    empty, full = rows(of, "Name|Label*", "A|  ", "B|Lamp")
    assert summarize_errors(empty.errors) == [("VALIDATION", "label", None)]
    assert "the column Label is required" in empty.errors[0].message
    assert full.errors == ()


def test_a_required_column_may_have_a_default() -> None:
    of = modified(column("Label", "label", transformations={"default": "Lamp"}))
    assert row(of, "Label*", "").values == {"label": "Lamp"}


def test_an_empty_cell_clears_the_field_unless_it_is_optional() -> None:
    of = modified(column("Code", "code"), column("Size", "size"))
    assert row(of, "Code|Size?", "|").values == {"code": None}


def test_an_optional_column_may_be_missing_when_the_profile_marks_it() -> None:
    of = modified(column("Name", "refName"), column("Code?", "code"))
    assert row(of, "Name", "A").values == {"refName": "A"}
    assert row(of, "Name|Code", "A|c").values == {"refName": "A", "code": "c"}


def test_a_calculated_column_is_ignored_mapped_or_not() -> None:
    of = modified(column("Name", "refName"), column("Code?", "code"))
    found = row(of, "Name|Code~|Total~", "A|c|12")
    assert (found.values, found.raw["Total~"]) == ({"refName": "A"}, "12")


@pytest.mark.parametrize(
    ("source", "header"), [("Code", "Name|Code~"), ("Code~", "Name|Code"), ("Code~", "Name")]
)
def test_a_mapped_column_is_calculated_by_either_word(source: str, header: str) -> None:
    of = modified(column("Name", "refName"), column(source, "code"))
    assert row(of, header, "|".join("Ac"[: header.count("|") + 1])).values == {"refName": "A"}


def test_the_key_is_refname_or_the_column_that_is_marked() -> None:
    of = modified(column("Name?", "refName"), column("Code", "code"))
    assert of.layout(["Code#"]).terms.key == "code"
    assert of.layout(["Name", "Code"]).terms.key == "refName"
    assert summarize_errors(row(of, "Code#", "").errors) == [("VALIDATION", "code", None)]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        pytest.param("Label#|Code", "label is not unique, so it cannot be the key; what can: code, refName", id="not unique"),
        pytest.param("Code#|Name#|Label", "Code is the key already", id="two keys"),
    ],
)  # fmt: skip
def test_a_column_that_cannot_be_the_key(header: str, message: str) -> None:
    of = modified(column("Name?", "refName"), column("Code", "code"), column("Label", "label"))
    with pytest.raises(CsvProblem, match=message):
        rows(of, header)


@pytest.mark.parametrize("header", ["Name#|Code", "Code|Name#"])
def test_the_file_and_the_profile_mark_one_key(header: str) -> None:
    of = modified(column("Name", "refName"), column("Code#", "code"))
    with pytest.raises(CsvProblem, match="is the key already"):
        rows(of, header)
    assert of.layout(["Name", "Code#"]).terms.key == "code"


@pytest.mark.parametrize(
    ("strategy", "header"),
    [
        ("HYBRID", "Name|Do#"),
        ("HYBRID", "Name|dynamicAttributes#"),
        ("HYBRID", "Name|dyn.s.a#"),
        ("HYBRID", "Name|More#"),
        ("VERTICAL", "Name|_entityKey|_attrSet#|_attrName|_attrValue"),
        ("VERTICAL", "Name|_entityKey|_attrSet|_attrName|_attrValue#"),
        ("VERTICAL", "Name|_entityKey#|_attrSet|_attrName|_attrValue"),
    ],
)
def test_a_column_that_fills_no_unique_field_is_not_the_key(strategy: str, header: str) -> None:
    """A mark that counted for nothing would find other records than its sender means."""
    of = dynamic(strategy, headerModifiers=True, intentColumn="Do", unmappedColumns="IGNORE")
    message = "fills no unique field, so it cannot be the key; what can: code, refName"
    with pytest.raises(CsvProblem, match=f"column [2-5]: .* {message}"):
        rows(of, header)


def test_the_key_of_an_entity_may_be_marked() -> None:
    """It gives the refName, unless another column does."""
    of = plan(column("Label?", "label"), dynamicAttributeStrategy="VERTICAL", headerModifiers=True)
    found = row(of, "_entityKey#|_attrSet|_attrName|_attrValue", "A|s|a|1")
    assert (found.key, found.errors) == ("A", ())
    marked = vertical(column("Name", "refName"), column("_entityKey", "code"))
    assert marked.layout(["Name", "_entityKey#", "_attrSet", "_attrName", "_attrValue"]).terms.key == "code"


# Intents ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("INSERT", Intent.INSERT), (" update ", Intent.UPDATE), ("Upsert", Intent.UPSERT), ("", Intent.INSERT)],
)
def test_the_intent_of_a_row(cell: str, expected: Intent) -> None:
    of = plan(column("Name", "refName"), intentColumn="Do", defaultIntent="INSERT")
    assert row(of, "Name|Do", f"A|{cell}").intent is expected


def test_the_default_counts_where_the_column_is_absent() -> None:
    of = plan(column("Name", "refName"), intentColumn="Do", defaultIntent="UPDATE")
    assert row(of, "Name", "A").intent is Intent.UPDATE
    assert row(plan(column("Name", "refName")), "Name", "A").intent is Intent.UPSERT


@pytest.mark.parametrize(
    ("cell", "how", "values"),
    [
        pytest.param("A", {}, {"refName": "A"}, id="as it is"),
        pytest.param(" a ", {"transformations": {"trim": True, "case": "UPPER"}}, {"refName": "A"}, id="transformed"),
        pytest.param("", {}, {}, id="none"),
        pytest.param("A", {"unmappedValueBehavior": "FAIL", "valueMappings": {"B": "b"}}, {}, id="one that is not mapped"),
        pytest.param("A", {"lookup": {"lookupCollection": "parcels"}}, {}, id="one to be looked up"),
        pytest.param("A", {"rowValueResolverName": "r"}, {}, id="one for a resolver"),
    ],
)  # fmt: skip
def test_of_a_row_to_be_skipped_only_its_name_is_read(cell: str, how: Any, values: Any) -> None:
    async def resolve(*_context: Any) -> Resolution:
        raise AssertionError("the row is skipped")

    own = column("Name", "refName", **how)
    of = plan(own, column("N", "count"), intentColumn="Do", resolvers={"r": resolve})
    found = row(of, "Name|N|Do", f"{cell}|many|SKIP")
    assert (found.intent, found.errors, found.values) == (Intent.SKIP, (), values)


@pytest.mark.parametrize(
    ("text", "suggestion", "message"),
    [
        ("DELETE", None, "DELETE is not supported: a row is one of INSERT, UPDATE, UPSERT, SKIP"),
        ("merge", None, "merge is not supported"),
        ("UPDAT", "UPDATE", "UPDAT is not an intent"),
    ],
)
def test_an_intent_that_there_is_not(text: str, suggestion: str | None, message: str) -> None:
    found = read_intent(text, Intent.UPSERT, "Do")
    assert isinstance(found, RowError)
    assert (found.code, found.field, found.value, found.suggestion) == (
        RowCode.INTENT,
        "Do",
        text,
        suggestion,
    )
    assert message in found.message
    of = plan(column("Name", "refName"), intentColumn="Do")
    assert row(of, "Name|Do", f"A|{text}").errors == (found,)


@pytest.mark.parametrize(
    ("intent", "exists", "expected"),
    [
        (Intent.INSERT, False, Intent.INSERT),
        (Intent.INSERT, True, "INSERT, but a record with refName A exists"),
        (Intent.UPDATE, True, Intent.UPDATE),
        (Intent.UPDATE, False, "UPDATE, but no record has refName A"),
        (Intent.UPSERT, False, Intent.INSERT),
        (Intent.UPSERT, True, Intent.UPDATE),
        (Intent.SKIP, True, Intent.SKIP),
        (Intent.SKIP, False, Intent.SKIP),
    ],
)
def test_what_is_done_with_a_row(intent: Intent, exists: bool, expected: Intent | str) -> None:
    found = decide_intent(intent, exists, "refName", "A")
    if isinstance(expected, Intent):
        assert found is expected
    else:
        assert isinstance(found, RowError)
        assert (found.code, found.suggestion) == (RowCode.INTENT, "UPSERT")
        assert expected in found.message


# Look-ups -----------------------------------------------------------------------------------------


def looked_up(target: str = "customer", **lookup: str) -> Plan:
    asked = {"lookupCollection": "parcels", "lookupMatchField": "code", **lookup}
    return plan(column("X", target, lookup=asked, transformations={"trim": True}))


def test_a_reference_is_looked_up_once_a_batch_and_once_a_value() -> None:
    table = Table(ann=ID, bob=OTHER_ID)
    mapper = mapper_of(looked_up(), "X")
    first = asyncio.run(mapper.read([(1, ["ann"]), (2, [" bob"]), (3, ["ann"]), (4, [""])], table))
    again = asyncio.run(mapper.read([(5, ["bob"]), (6, ["cid"])], table))
    assert [one.values.get("customer.entityId") for one in first] == [
        ObjectId(ID),
        ObjectId(OTHER_ID),
        ObjectId(ID),
        None,
    ]
    assert first[3].values == {"customer": None}
    assert again[0].values == {"customer.entityId": ObjectId(OTHER_ID)}
    assert table.asked == [["ann", "bob"], ["cid"]]


def test_a_value_that_nobody_has() -> None:
    found = rows(looked_up(), "X", "lisbon", "lisbo", table=Table(lisbon=ID))[1]
    assert summarize_errors(found.errors) == [("LOOKUP", "customer", "lisbo")]
    assert found.errors[0].message == "no record of parcels has the code lisbo"
    assert found.errors[0].suggestion == "lisbon"


def test_a_suggestion_comes_from_what_records_have_however_many_values_are_known() -> None:
    known = [f"port{number}" for number in range(MOST_CANDIDATES)]
    table = Table(**dict.fromkeys(known, ID))
    table.others = ["lisbon"]
    found = rows(looked_up(), "X", *known, "lisbo", table=table)[-1]
    assert found.errors[0].suggestion == "lisbon"


def test_a_store_that_cannot_list_values_refuses_no_file() -> None:
    table = Table(lisbon=ID)
    table.others = StoreUnavailable("the store takes too long")
    good, bad = rows(looked_up(), "X", "lisbon", "lisbo", table=table)
    assert (good.errors, summarize_errors(bad.errors)) == ((), [("LOOKUP", "customer", "lisbo")])


def test_a_value_that_several_have() -> None:
    found = row(looked_up(), "X", "ann", table=Table(ann=Unclear.SEVERAL))
    assert summarize_errors(found.errors) == [("LOOKUP", "customer", "ann")]
    assert "several records" in found.errors[0].message


@pytest.mark.parametrize(("on_not_found", "stored"), [("NULL", None), ("PASSTHROUGH", "lisbo")])
def test_what_else_may_become_of_a_value_that_nobody_has(on_not_found: str, stored: str | None) -> None:
    of = looked_up("label", lookupReturnField="label", onNotFound=on_not_found)
    assert row(of, "X", "lisbo").values == {"label": stored}


def test_what_was_found_is_typed_by_the_field_and_may_be_empty() -> None:
    of = looked_up("count", lookupReturnField="count")
    seven, empty, odd = rows(of, "X", "a", "b", "c", table=Table(a="7", b=None, c="x"))
    assert (seven.values, empty.values) == ({"count": 7}, {"count": None})
    assert summarize_errors(odd.errors) == [("PARSE", "count", "x")]


# Resolvers ----------------------------------------------------------------------------------------


def resolved(answer: Resolution, target: str = "label") -> InputRow:
    async def resolve(_value: str | None, _row: Mapping[str, str], _context: ImportContext) -> Resolution:
        return answer

    of = plan(column("X", target, rowValueResolverName="r"), column("Y", "code"), resolvers={"r": resolve})
    return row(of, "X|Y", "Lamp|c")


@pytest.mark.parametrize(
    ("answer", "target", "stored"),
    [
        pytest.param(Resolution.success("Sun"), "label", "Sun", id="success"),
        pytest.param(Resolution.success("7"), "count", 7, id="success, as text"),
        pytest.param(Resolution.success(7), "count", 7, id="success, typed"),
        pytest.param(Resolution.success(["a"]), "tags", ["a"], id="success, a list"),
        pytest.param(Resolution.success(None), "label", None, id="success with nothing"),
        pytest.param(Resolution.passthrough(), "label", "Lamp", id="passthrough"),
        pytest.param(Resolution.null_value(), "label", None, id="null"),
    ],
)
def test_what_a_resolver_makes_of_a_cell(answer: Resolution, target: str, stored: Any) -> None:
    found = resolved(answer, target)
    assert (found.errors, found.values) == ((), {target: stored, "code": "c"})


def test_a_resolver_skips_a_row() -> None:
    found = resolved(Resolution.skip("sold"))
    assert (found.intent, found.skip_reason, found.errors, found.values) == (Intent.SKIP, "sold", (), {})


@pytest.mark.parametrize("header", ["Name|X|Y", "X|Y|Name"])
def test_of_a_row_that_a_resolver_skips_the_name_is_known(header: str) -> None:
    async def resolve(*_context: Any) -> Resolution:
        return Resolution.skip("sold")

    columns = {
        "Name": column("Name", "refName"), "X": column("X", "label", rowValueResolverName="r"),
        "Y": column("Y", "count"),
    }  # fmt: skip
    of = plan(*(columns[name] for name in header.split("|")), resolvers={"r": resolve})
    found = row(
        of, header, "|".join({"Name": "A", "X": "Lamp", "Y": "many"}[name] for name in header.split("|"))
    )
    assert (found.skip_reason, found.errors, found.values) == ("sold", (), {"refName": "A"})


def test_a_resolver_that_gives_a_ref_name_where_an_id_belongs_is_advised() -> None:
    found = resolved(Resolution.success("W-1"), "customer")
    assert summarize_errors(found.errors) == [("PARSE", "customer", "W-1")]
    assert found.errors[0].message.endswith("; to give a refName, map customer.entityRefName")


def test_a_resolver_refuses_a_row() -> None:
    found = resolved(Resolution.error("no such lamp"))
    assert summarize_errors(found.errors) == [("MAPPING", "label", "Lamp")]
    assert found.errors[0].message == "no such lamp"


def test_a_value_of_a_resolver_that_the_field_cannot_take() -> None:
    assert summarize_errors(resolved(Resolution.success("many"), "count").errors) == [
        ("PARSE", "count", "many")
    ]


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("-inf"),
        Decimal("nan"),
        Decimal("snan"),
        [1.0, float("nan")],
        {"a": [{"b": float("inf")}]},
        (Decimal("inf"),),
    ],
)
def test_a_resolver_has_no_success_with_what_no_record_can_hold(value: Any) -> None:
    """As a text NaN would be ``null``."""
    with pytest.raises(ValueError, match="is not a value that a record can hold"):
        Resolution.success(value)


@pytest.mark.parametrize("text", ["1e309", "-1e309"])
def test_a_resolver_may_return_a_decimal_beyond_all_doubles(text: str) -> None:
    found = resolved(Resolution.success(Decimal(text)), "weight")
    assert (found.values["weight"].to_decimal(), found.errors) == (Decimal(text), ())


@pytest.mark.parametrize("make", [Resolution.success, Resolution.error, Resolution.skip])
def test_half_of_a_character_is_a_fault_of_the_resolver(make: Callable[[str], Resolution]) -> None:
    """And of its row alone."""
    (error,) = resolved(make("\ud800")).errors
    assert (error.code, error.message) == (
        RowCode.MAPPING,
        "the resolver of X failed on row 1; it was logged",
    )


def test_what_a_resolver_is_told() -> None:
    heard: list[Any] = []

    async def resolve(value: str | None, row: Mapping[str, str], context: ImportContext) -> Resolution:
        heard.append((value, dict(row), context))
        return Resolution.passthrough()

    of = plan(
        column("X", "label", rowValueResolverName="r", transformations={"case": "UPPER"}),
        resolvers={"r": resolve}, unmappedColumns="IGNORE",
    )  # fmt: skip
    rows(of, "X|Y", "lamp|1", "|2")
    assert heard == [
        ("LAMP", {"X": "lamp", "Y": "1"}, ImportContext("acme", "s-1", 1, "legacy")),
        (None, {"X": "", "Y": "2"}, ImportContext("acme", "s-1", 2, "legacy")),
    ]


# Dynamic attributes -------------------------------------------------------------------------------


def dynamic(strategy: str, *columns: dict[str, Any], **members: Any) -> Plan:
    return plan(column("Name", "refName"), *columns, dynamicAttributeStrategy=strategy, **members)


def test_columns_with_the_prefix_are_attributes() -> None:
    found = row(dynamic("DOT_NOTATION"), "Name|dyn.s.a:Double|dyn.s.b|dyn.t.c:Boolean", "A|2|x|")
    assert found.values == {"refName": "A"}
    assert found.attributes == {"s": {"a": {"type": "Double", "value": 2.0}, "b": Written("x")}}


def test_an_attribute_that_cannot_be_read_is_an_error_of_the_row() -> None:
    found = row(dynamic("HYBRID"), "Name|dyn.s.a:Double|dynamicAttributes", "A|much|{")
    assert summarize_errors(found.errors) == [
        ("PARSE", "dynamicAttributes.s.a", "much"),
        ("PARSE", "dynamicAttributes", "{"),
    ]


def test_a_column_of_json() -> None:
    found = row(dynamic("JSON_COLUMN"), "Name|dynamicAttributes", 'A|{"s": {"a": {"x": 2}}}')
    assert found.attributes == {"s": {"a": {"type": "Object", "value": {"x": 2}}}}


def test_both_in_one_file_where_json_wins() -> None:
    apart, same = rows(
        dynamic("HYBRID"), "Name|dyn.s.a|dynamicAttributes", 'A|1|{"s": {"b": 2}}', 'B|1|{"s": {"a": 2}}'
    )  # fmt: skip
    assert apart.attributes == {"s": {"a": Written("1"), "b": Written("2")}}
    assert (same.errors, same.attributes) == ((), {"s": {"a": Written("2")}})


def test_json_wins_over_a_column_that_the_profile_maps() -> None:
    of = dynamic("HYBRID", column("A", "dynamicAttributes.s.a"))
    for header, cells in (
        ("Name|A|dynamicAttributes", 'B|1|{"s": {"a": 2}}'),
        ("dynamicAttributes|A|Name", '{"s": {"a": 2}}|1|B'),
    ):
        found = row(of, header, cells)
        assert (found.errors, found.attributes) == ((), {"s": {"a": Written("2")}})


@pytest.mark.parametrize(
    ("of", "header"),
    [
        pytest.param(plan(column("Name", "refName")), "Name|dyn.s.a", id="no strategy"),
        pytest.param(dynamic("JSON_COLUMN"), "Name|dyn.s.a", id="another strategy"),
        pytest.param(dynamic("DOT_NOTATION"), "Name|dynamicAttributes", id="no column of JSON"),
        pytest.param(dynamic("DOT_NOTATION", dynamicAttributePrefix="x_"), "Name|dyn.s.a", id="another prefix"),
        pytest.param(dynamic("DOT_NOTATION", enableDynamicAttributeDiscovery=False), "Name|dyn.s.a", id="no discovery"),
        pytest.param(dynamic("DOT_NOTATION"), "Name|_attrName", id="no VERTICAL"),
    ],
)  # fmt: skip
def test_columns_of_attributes_that_the_profile_does_not_ask_for(of: Plan, header: str) -> None:
    with pytest.raises(CsvProblem, match="does not map"):
        rows(of, header)


@pytest.mark.parametrize(
    ("strategy", "header", "line", "found"),
    [
        ("HYBRID", "Name|dyn.s.a:Integer*", "A|", ("VALIDATION", "dynamicAttributes.s.a", None)),
        ("HYBRID", "Name|dyn.s.a*", "A|", ("VALIDATION", "dynamicAttributes.s.a", None)),
        ("HYBRID", "Name|dynamicAttributes*", "A|", ("VALIDATION", "dynamicAttributes", None)),
        ("HYBRID", "Name|Do*", "A|", ("VALIDATION", "Do*", None)),
        ("HYBRID", "Name|Do*", "A| ", ("VALIDATION", "Do*", None)),
        ("VERTICAL", "Name|_entityKey|_attrSet|_attrName|_attrType*|_attrValue", "A|A|s|a||1", ("VALIDATION", "_attrType*", None)),
        ("VERTICAL", "Name|_entityKey|_attrSet|_attrName|_attrType*|_attrValue", "A|A|s|a| |1", ("VALIDATION", "_attrType*", None)),
        ("VERTICAL", "Name|_entityKey|_attrSet|_attrName|_attrValue*", "A|A|s|a| ", None),
        ("VERTICAL", "Name|_entityKey*|_attrSet|_attrName|_attrValue", "A||s|a|1", ("VALIDATION", "_entityKey", None)),
        ("HYBRID", "Name|dyn.s.a*|dynamicAttributes*|Do*", "A|1|{}|INSERT", None),
        ("HYBRID", "Name|dyn.s.a?|dynamicAttributes?|Do?", "A|||", None),
        ("HYBRID", "Name|Do|dyn.s.a*", "A|SKIP|", None),
        ("HYBRID", "Name|x*", "A|", None),
    ],
)  # fmt: skip
def test_a_column_of_attributes_or_intents_may_be_required(
    strategy: str, header: str, line: str, found: tuple[str, str, None] | None
) -> None:
    """As one that the profile maps; what is left out, or of a row that is, is not looked at."""
    of = dynamic(strategy, headerModifiers=True, intentColumn="Do", unmappedColumns="IGNORE")
    assert summarize_errors(row(of, header, line).errors) == ([] if found is None else [found])


def test_each_row_of_an_entity_has_what_is_required() -> None:
    of = dynamic("VERTICAL", headerModifiers=True)
    (found,) = rows(of, "Name|_entityKey|_attrSet|_attrName|_attrValue*", "A|A|s|a|1", "A|A|s|b|")
    assert [error.message for error in found.errors] == [
        "row 2: the column _attrValue is required, and the cell is empty"
    ]


def test_further_rows_of_an_entity_may_leave_a_required_intent_empty() -> None:
    """As they may every column that the profile maps."""
    of = dynamic("VERTICAL", column("Label", "label"), headerModifiers=True, intentColumn="Do")
    lines = ("A|Lamp|A|s|a|1|INSERT", "A||A|s|b|2|")
    (found,) = rows(of, "Name|Label*|_entityKey|_attrSet|_attrName|_attrValue|Do*", *lines)
    assert (found.intent, found.errors) == (Intent.INSERT, ())


def test_without_discovery_mapped_attributes_are_read() -> None:
    of = dynamic(
        "DOT_NOTATION", column("dyn.s.a:Long", "dynamicAttributes.s.a", valueMappings={"many": "9"}),
        enableDynamicAttributeDiscovery=False,
    )  # fmt: skip
    found = row(of, "Name|dyn.s.a:Long", "A|many")
    assert found.attributes == {"s": {"a": {"type": "Long", "value": 9}}}


def test_an_attribute_is_mapped_without_a_strategy_too() -> None:
    of = plan(column("W", "dynamicAttributes.s.w"))
    assert row(of, "W", "2").attributes == {"s": {"w": Written("2")}}
    assert row(of, "W", "").values == {}


def test_an_attribute_that_two_columns_fill() -> None:
    of = dynamic("DOT_NOTATION", column("W", "dynamicAttributes.s.w"))
    for header in ("Name|W|dyn.s.w", "Name|W|dyn.t.a|dyn.t.a:Long"):
        with pytest.raises(CsvProblem, match="filled by another column already"):
            rows(of, header)


def test_a_header_that_is_no_attribute() -> None:
    with pytest.raises(CsvProblem, match=r"column 2: dyn\.weight is not an attribute"):
        rows(dynamic("DOT_NOTATION"), "Name|dyn.weight")


def test_the_merge_of_a_profile() -> None:
    assert dynamic("DOT_NOTATION").merge is Merge.MERGE
    assert dynamic("DOT_NOTATION", dynamicAttributeMergeStrategy="APPEND").merge is Merge.APPEND


# VERTICAL -----------------------------------------------------------------------------------------

VERTICAL = "_entityKey|_attrSet|_attrName|_attrType|_attrValue"


def vertical(*columns: dict[str, Any], **members: Any) -> Plan:
    mapped = columns or (column("Label?", "label"),)
    return plan(*mapped, dynamicAttributeStrategy="VERTICAL", headerModifiers=True, **members)


def test_the_rows_of_an_entity_become_one() -> None:
    first, second = rows(vertical(), VERTICAL, "A|s|a|Double|2", "A|s|b||x", "B|s|a||1")
    assert (first.number, first.further, first.values) == (1, [["A", "s", "b", "", "x"]], {"refName": "A"})
    assert first.attributes == {"s": {"a": {"type": "Double", "value": 2.0}, "b": Written("x")}}
    assert (second.number, second.further, second.values) == (3, [], {"refName": "B"})


def test_the_key_of_an_entity_is_the_name_of_one_to_be_skipped() -> None:
    (found,) = rows(vertical(intentColumn="Do"), f"{VERTICAL}|Do", "A|s|a||1|SKIP", "A|s|b||2|")
    assert (found.intent, found.errors, found.values) == (Intent.SKIP, (), {"refName": "A"})
    of = vertical(column("_entityKey", "code"), intentColumn="Do")
    (found,) = rows(of, f"{VERTICAL}|Do", "A|s|a||1|SKIP")
    assert (found.intent, found.values) == (Intent.SKIP, {})


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("INSERT", "update", ("INTENT", "Do", "update")),
        ("SKIP", "UPSERT", ("INTENT", "Do", "UPSERT")),
        ("", "SKIP", ("INTENT", "Do", "SKIP")),
        ("UPDATE", "DELETE", ("INTENT", "Do", "DELETE")),
        ("MERGE", "MERGE", ("INTENT", "Do", "MERGE")),
        ("INSERT", " insert ", None),
        ("UPSERT", "", None),
        ("", "UPSERT", None),
        ("SKIP", "", None),
    ],
)
def test_the_intent_of_an_entity_is_that_of_its_first_row(
    first: str, second: str, found: tuple[str, str, str] | None
) -> None:
    """A further row that says otherwise is an error of the entity, as other columns are."""
    lines = (f"A|s|a||1|{first}", f"A|s|b||2|{second}")
    (row,) = rows(vertical(intentColumn="Do"), f"{VERTICAL}|Do", *lines)
    assert summarize_errors(row.errors)[:1] == ([] if found is None else [found])


def test_the_key_of_an_entity_may_be_guarded() -> None:
    """As an error file writes it: one record with the rows that are not."""
    (found,) = rows(vertical(), VERTICAL, "'=A|s|a||1", "=A|s|b||2")
    assert (found.values, found.attributes.keys(), list(found.attributes["s"])) == (
        {"refName": "=A"},
        {"s"},
        ["a", "b"],
    )


def test_an_entity_may_go_on_in_the_next_batch() -> None:
    mapper = mapper_of(vertical(), *VERTICAL.split("|"))
    lines = [(number, f"{key}|s|n{number}||x".split("|")) for number, key in enumerate("AABBB", 1)]
    batches = [
        asyncio.run(mapper.read(lines[:1], Table())),
        asyncio.run(mapper.read(lines[1:3], Table())),
        asyncio.run(mapper.read(lines[3:], Table())),
        asyncio.run(mapper.read([], Table(), is_last=True)),
    ]
    assert [[(one.number, len(one.further or ())) for one in batch] for batch in batches] == [
        [],
        [(1, 1)],
        [],
        [(3, 2)],
    ]


def test_other_columns_are_those_of_the_entity() -> None:
    good, bad = rows(
        vertical(column("Label", "label")), f"{VERTICAL}|Label",
        "A|s|a||1|Lamp", "A|s|b||2|", "A|s|c||3|Lamp", "B|s|a||1|Lamp", "B|s|b||2|Sun",
    )  # fmt: skip
    assert (good.values, good.errors) == ({"refName": "A", "label": "Lamp"}, ())
    assert summarize_errors(bad.errors) == [("MAPPING", "label", "Sun")]
    assert bad.errors[0].message == "row 5 says otherwise than row 4 of the same entity"


def test_the_key_of_an_entity_may_be_another_field() -> None:
    of = vertical(column("_entityKey", "code"))
    assert of.layout(VERTICAL.split("|")).terms.key == "code"
    assert row(of, VERTICAL, "A|s|a||1").values == {"code": "A"}


@pytest.mark.parametrize(
    ("lines", "errors"),
    [
        pytest.param(["|s|a||1"], [("VALIDATION", "_entityKey", None)], id="no key"),
        pytest.param(["A|s|a||1", "A|s|a||2"], [("MAPPING", "dynamicAttributes.s.a", None)], id="one attribute twice"),
        pytest.param(["A|s|a||1", "A|s|b|Double|x"], [("PARSE", "dynamicAttributes.s.b", "x")], id="a value of another type"),
        pytest.param(["A|s|a|Dbl|1"], [("MAPPING", "_attrType", "Dbl")], id="an unknown type"),
    ],
)  # fmt: skip
def test_entities_with_errors(lines: list[str], errors: list[Any]) -> None:
    (found,) = rows(vertical(), VERTICAL, *lines)
    assert summarize_errors(found.errors) == errors


def test_an_error_of_a_further_row_says_which() -> None:
    (found,) = rows(vertical(), VERTICAL, "A|s|a||1", "A|s|b|Double|x")
    assert found.errors[0].message.startswith("row 2: is Double")


def test_a_column_that_is_missing() -> None:
    with pytest.raises(CsvProblem, match="_attrValue is missing, which VERTICAL needs"):
        rows(vertical(), "_entityKey|_attrSet|_attrName")


@pytest.mark.parametrize(
    ("line", "name"),
    [("Lamp|A", "A"), ("Lamp|A|x|more", "A"), ("Lamp|'=A", "=A"), ("Lamp", None), ("Lamp|", None)],
)
def test_a_row_of_another_width_has_its_name(line: str, name: str | None) -> None:
    """Where it has the cell: its report names the record, as that of any other row does."""
    of = plan(column("Label", "label"), column("Name", "refName"), column("Code", "code"))
    found = row(of, "Label|Name|Code", line)
    assert [error.code for error in found.errors] == ["PARSE"]
    assert found.values == ({} if name is None else {"refName": name})


def test_a_row_of_another_width_has_no_name_that_is_looked_up() -> None:
    of = plan(column("Label", "label"), column("Name", "refName", **lookup(lookupMatchField="code")))
    assert row(of, "Label|Name", "Lamp|A|x", table=Table(A="B")).values == {}


def test_an_entity_of_another_width_has_its_name() -> None:
    short, none = rows(vertical(), "_attrSet|_entityKey|_attrName|_attrValue", "s|A", "s")
    assert (short.values, none.values) == ({"refName": "A"}, {})


def test_a_row_that_cannot_be_read_fails_with_its_entity() -> None:
    found = rows(vertical(), VERTICAL, "A|s|a||1", "A|s", "A|s|b||2")
    assert [(one.number, one.further, summarize_errors(one.errors)) for one in found] == [
        (1, [["A", "s"], ["A", "s", "b", "", "2"]], [("PARSE", None, "2")]),
    ]


# Profiles that are refused ------------------------------------------------------------------------


def lookup(**members: str) -> dict[str, Any]:
    return {"lookup": {"lookupCollection": "parcels", **members}}


@pytest.mark.parametrize(
    ("wrong", "path", "message"),
    [
        (profile(targetType="post.Parcle"), "targetType", "no record type post.Parcle; did you mean Parcel?"),
        (profile(column("A", "lable")), "columnMappings[0].targetField", "did you mean label?"),
        (profile(column("A", "auditInfo.createdBy")), "columnMappings[0].targetField", "written by the server"),
        (profile(column("A", "id")), "columnMappings[0].targetField", "written by the server"),
        (profile(column("A", "title")), "columnMappings[0].targetField", "written by the server"),
        (profile(column("A", "lines[0].sku")), "columnMappings[0].targetField", "one cell of JSON"),
        (profile(column("A", "lines.sku")), "columnMappings[0].targetField", "set whole"),
        (profile(column("A", "customer.entityType")), "columnMappings[0].targetField", "a copy"),
        (profile(column("A", "customer")), "columnMappings[0].targetField", "fill customer.entityRefName"),
        (profile(column("A", "place.entityRefName")), "columnMappings[0].targetField", "no field"),
        (profile(column("A", "dynamicAttributes.a")), "columnMappings[0].targetField", "write dynamicAttributes.<set>.<name>"),
        (profile(column("A", "label"), column("A", "code")), "columnMappings[1].sourceColumn", "A is mapped twice"),
        (profile(column("A", "label"), column("B", "label")), "columnMappings[1].targetField", "filled by another"),
        (profile(column("A", "place"), column("B", "place.city")), "columnMappings[1].targetField", "filled by another"),
        (profile(column("A", "carriers.entityId", listSeparator=";"), column("B", "carriers.entityRefName", listSeparator=";")), "columnMappings[1].targetField", "filled by another"),
        (profile(column("A", "carriers.entityRefName")), "columnMappings[0].targetField", "steps into a list: give the column a listSeparator, or fill carriers with JSON"),
        (profile(column("A", "carriers.entityRefName", rowValueResolverName="country")), "columnMappings[0].targetField", "fill carriers; the resolver may return a list"),
        (profile(column("A", "carriers", listSeparator=";")), "columnMappings[0].targetField", "is a reference: fill carriers.entityRefName"),
        (profile(column("A", "label", listSeparator=";")), "columnMappings[0].listSeparator", "label takes no list of single values"),
        (profile(column("A", "lines", listSeparator=";")), "columnMappings[0].listSeparator", "takes no list of single values"),
        (profile(column("A", "grid", listSeparator=";")), "columnMappings[0].listSeparator", "takes no list of single values"),
        (profile(column("A", "extra", listSeparator=";")), "columnMappings[0].listSeparator", "takes no list of single values"),
        (profile(column("A", "words", listSeparator=";")), "columnMappings[0].listSeparator", "takes no list of single values"),
        (profile(column("A", "tags", listSeparator=";", rowValueResolverName="country")), "columnMappings[0].listSeparator", "may return a list"),
        (profile(column("A", "customer.entityRefName", listSeparator=";")), "columnMappings[0].listSeparator", "takes no list of single values"),
        (profile(column(" ", "label")), "columnMappings[0].sourceColumn", "is empty"),
        (profile(column("Do", "label"), intentColumn="Do"), "columnMappings[0].sourceColumn", "Do is the intentColumn"),
        (profile(column("A#", "code"), column("B#", "refName"), headerModifiers=True), "columnMappings[1].sourceColumn", "a second key"),
        (profile(column("A#", "label"), headerModifiers=True), "columnMappings[0].sourceColumn", "label is not unique, so it cannot be the key; what can:"),
        (profile(column("A", "label", unmappedValueBehavior="FAIL")), "columnMappings[0].unmappedValueBehavior", "add valueMappings"),
        (profile(column("A", "label", valueMappings={" x": "y"}, transformations={"trim": True})), "columnMappings[0].valueMappings", "never matches"),
        (profile(column("A", "label", transformations={"regex": {"pattern": "(?=a)"}})), "columnMappings[0].transformations.regex.pattern", "look-around"),
        (profile(column("A", "born", transformations={"dateFormat": "DD.MM.YYYY"})), "columnMappings[0].transformations.dateFormat", "DD, which means nothing"),
        (profile(column("A", "label", lookup={"lookupCollection": "parcel"})), "columnMappings[0].lookup.lookupCollection", "did you mean parcels?"),
        (profile(column("A", "label", **lookup(lookupMatchField="cod"))), "columnMappings[0].lookup.lookupMatchField", "did you mean code?"),
        (profile(column("A", "label", **lookup(lookupMatchField="pin"))), "columnMappings[0].lookup.lookupMatchField", "no field pin"),
        (profile(column("A", "label", **lookup(lookupReturnField="note"))), "columnMappings[0].lookup.lookupReturnField", "no field note"),
        (profile(column("A", "label", **lookup(lookupReturnField="place"))), "columnMappings[0].lookup.lookupReturnField", "single values"),
        (profile(column("A", "label", **lookup(lookupReturnField="lines.sku"))), "columnMappings[0].lookup.lookupReturnField", "is inside the list lines"),
        (profile(column("A", "label", rowValueResolverName="contry")), "columnMappings[0].rowValueResolverName", "no resolver contry; did you mean country?"),
        (profile(dynamicAttributeStrategy="HYBRID", dynamicAttributePrefix="a:"), "dynamicAttributePrefix", "no colon"),
        (profile(dynamicAttributeStrategy="VERTICAL", intentColumn="_attrType"), "intentColumn", "another meaning"),
        (profile(headerModifiers=True, intentColumn="Do*"), "intentColumn", 'write "Do", and its modifier in the header'),
        (profile(intentColumn=" Do"), "intentColumn", '" Do" never names a column: write "Do"'),
    ],
)  # fmt: skip
def test_what_a_profile_cannot_be(wrong: dict[str, Any], path: str, message: str) -> None:
    (found,) = find_profile_problems(wrong, CATALOG, {"country"})
    assert found["path"] == path
    assert message in found["message"]


def test_a_sound_profile_has_no_problems() -> None:
    whole = profile(
        column("Name#", "refName", transformations={"trim": True, "case": "UPPER"}),
        column("Label*", "label", valueMappings={"l": "Lamp"}, unmappedValueBehavior="NULL"),
        column("Who", "customer", **lookup(lookupMatchField="code", lookupReturnField="id", onNotFound="NULL")),
        column("City", "place.city", rowValueResolverName="country"),
        column("Tags", "tags", listSeparator=";"),
        column("Carriers", "carriers.entityRefName", listSeparator=";"),
        column("W", "dynamicAttributes.s.w"),
        headerModifiers=True, intentColumn="Do", unmappedColumns="IGNORE", dynamicAttributeStrategy="HYBRID",
    )  # fmt: skip
    assert list(find_profile_problems(whole, CATALOG, {"country"})) == []


def test_a_type_without_attributes_has_no_strategy() -> None:
    catalog = Catalog((CARRIER,))
    wrong = {**profile(column("A", "refName"), dynamicAttributeStrategy="HYBRID"), "targetType": "Carrier"}
    assert [one["path"] for one in find_profile_problems(wrong, catalog, {})] == ["dynamicAttributeStrategy"]


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = profile(column("A", "lable"), column("A", "code", rowValueResolverName="r"))
    assert [one["path"] for one in find_profile_problems(wrong, CATALOG, {})] == [
        "columnMappings[1].sourceColumn",
        "columnMappings[0].targetField",
        "columnMappings[1].rowValueResolverName",
    ]


def test_a_profile_that_cannot_be_applied_any_more_is_refused_when_a_file_is_opened() -> None:
    with pytest.raises(InvalidParameter, match="the profile legacy cannot be used") as refused:
        plan(column("X", "label", rowValueResolverName="r"))
    assert refused.value.details["parameter"] == "profileRefName"
    assert [one["path"] for one in refused.value.details["violations"]] == [
        "columnMappings[0].rowValueResolverName"
    ]


def test_a_profile_of_another_type_is_refused() -> None:
    other = replace(KIND, name="Letter", collection="letters")
    with pytest.raises(InvalidParameter, match=r"is post\.Parcel, not Letter"):
        prepare(profile(), other, Catalog((KIND, other)), {})


@pytest.mark.parametrize("name", ["Parcel", "post.Parcel", "Packet", "post.Packet"])
def test_a_profile_names_a_renamed_type_by_either_name(name: str) -> None:
    renamed = replace(KIND, title="Packet")
    assert prepare(profile(targetType=name), renamed, Catalog((renamed,)), {}).ref_name == "legacy"


def test_a_field_that_is_withheld_from_the_caller_cannot_be_filled() -> None:
    with pytest.raises(InvalidParameter, match="no field code"):
        prepare(profile(column("A", "code")), KIND, CATALOG, {}, frozenset({"code"}))


# Whatever a file holds ----------------------------------------------------------------------------

EVERYTHING = plan(
    column("A", "label", transformations={"trim": True, "case": "TITLE", "regex": {"pattern": "(.)b*", "replacement": "$1"}}),
    column("B", "count"), column("C", "weight"), column("D", "urgent"), column("E", "size"),
    column("F", "born", transformations={"dateFormat": "d.M.yy"}), column("G", "dueAt"), column("H", "extra"),
    column("I", "place.inside"), column("J", "tags"), column("K", "customer", lookup={"lookupCollection": "parcels", "onNotFound": "PASSTHROUGH"}),
    intentColumn="Do", dynamicAttributeStrategy="HYBRID",
)  # fmt: skip
HEADER = "A|B|C|D|E|F|G|H|I|J|K|Do|dyn.s.a|dyn.s.b:Object|dyn.s.c:MultiSelect|dyn.s.d:Long|dynamicAttributes"
cells = st.one_of(
    st.sampled_from(
        ["", "5", "-1.5", "true", "M", "27.3.26", "2026-03-27T04:12:14Z", "[]", "{}", ID, "SKIP", "'=1"]
    ),
    st.text(max_size=12),
    st.text(alphabet='[]{}":,.0123456789eE+-tfn', max_size=12),
)


@given(st.lists(st.lists(cells, min_size=16, max_size=18), max_size=4))
def test_every_file_is_told_about_row_by_row(lines: list[list[str]]) -> None:
    """No cell is a fault: what cannot be read is an error of its row that can be stored and shown."""
    mapper = mapper_of(EVERYTHING, *HEADER.split("|"))
    found = asyncio.run(mapper.read(list(enumerate(lines, 1)), Table()))
    assert [one.number for one in found] == list(range(1, len(lines) + 1))
    for one in found:
        assert all(
            error.message and error.as_document()["code"] in RowCode.__members__ for error in one.errors
        )
        assert (one.intent is not Intent.SKIP and len(lines[one.number - 1]) == 17) or not one.values
