"""The compiled filter on the real MongoDB = a plain evaluator, over random types, records and filters.

The evaluator knows nothing of matches: it walks a record and asks each value; of a list, any element counts.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import uuid4

from bson import Decimal128, ObjectId
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.filter import compile_filter, parse_filter
from runtime.filter.print import print_filter
from runtime.filter.syntax import (
    And,
    Compare,
    ElementMatch,
    EveryElement,
    Exists,
    Expression,
    InList,
    Not,
    Operator,
    Or,
)
from runtime.filter.syntax_literals import Literal, Number, OtherField, ReferenceId, Text
from runtime.model.field_type import FieldType, ValueKind
from tests.filter.trees import NAMES, random_filter, random_kind, random_record
from tests.properties import examples

RECORDS, FILTERS = 40, 40
BATCHES = examples(13, nightly=2000)  # 20,800 pairs in the suite

Types = Callable[[str], FieldType]
ORDER = {
    Operator.LESS: operator.lt,
    Operator.LESS_OR_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_OR_EQUAL: operator.ge,
}
KINDS = [(bool,), (int, float, Decimal), (str,), (datetime,)]


def evaluate(node: Expression, record: Any, types: Types, prefix: str = "") -> bool:
    """Whether a record (or an element) matches."""
    match node:
        case And():
            return all(evaluate(operand, record, types, prefix) for operand in node.operands)
        case Or():
            return any(evaluate(operand, record, types, prefix) for operand in node.operands)
        case Not():
            return not evaluate(node.operand, record, types, prefix)
        case Exists():
            return any(value is not None for value in reach(record, prefix + node.path))
        case ElementMatch() | EveryElement():
            of_elements = element_match if isinstance(node, ElementMatch) else every_element
            return of_elements(node, record, types, prefix)
        case InList() | Compare() if node.path.endswith(".size"):
            return size_holds(node, record, types, prefix)
        case InList():
            return node.negated != any(holds(node, record, types, prefix, item) for item in items_of(node))
        case Compare(value=OtherField(other)):
            values = [single(record, types, prefix + path) for path in (node.path, other)]
            return relates_fields(node.operator, *values)
        case Compare():
            wanted = node.operator is not Operator.NOT_EQUAL
            return holds(node, record, types, prefix, node.value) == wanted
        case _:
            raise AssertionError(node)


def every_element(node: EveryElement, record: Any, types: Types, prefix: str) -> bool:
    """No element of any list at the path fails."""
    path = prefix + node.path
    item = types(path).item
    assert item
    elements = [element for value in reach(record, path) if isinstance(value, list) for element in value]
    if item.kind is ValueKind.OBJECT:
        return all(evaluate(node.inner, e, lambda p: types(f"{path}.{p}")) for e in elements)
    return all(evaluate(node.inner, {"value": e}, lambda p: item) for e in elements)


def size_holds(node: Compare | InList, record: Any, types: Types, prefix: str) -> bool:
    """Whether any list at the path has such a size; one that is missing or null has no elements."""
    sizes = list(sizes_at(record, (prefix + node.path).removesuffix(".size"), types))
    if isinstance(node, InList):
        wanted = {item.text for item in items_of(node) if isinstance(item, Text)}
        return node.negated != any(str(size) in wanted for size in sizes)
    assert isinstance(node.value, Text)
    number = int(node.value.text)
    if node.operator in (Operator.EQUAL, Operator.NOT_EQUAL):
        return (number in sizes) == (node.operator is Operator.EQUAL)
    return any(ORDER[node.operator](size, number) for size in sizes)


def sizes_at(record: Any, path: str, types: Types) -> Iterator[int]:
    """The sizes of the lists at a path; a list on the way that is missing has no elements with lists."""
    parts = path.split(".")
    around = [".".join(parts[:at]) for at in range(1, len(parts))]
    outer = next((one for one in around if types(one).kind is ValueKind.LIST), None)
    if outer is None:
        yield from (len(value) if isinstance(value, list) else 0 for value in reach(record, path))
        return
    for value in reach(record, outer):
        for element in value or ():
            yield from sizes_at(element, path.removeprefix(f"{outer}."), lambda p: types(f"{outer}.{p}"))


def single(record: Any, types: Types, path: str) -> Any:
    """The one value of a field outside of lists; for a reference the id it holds."""
    (value,) = reach(record, f"{path}.entityId" if types(path).is_reference else path)
    return value


def relates_fields(relation: Operator, left: Any, right: Any) -> bool:
    """Nothing relates to a missing value, which hence differs from every other one."""
    if left is None or right is None:
        return relation is Operator.NOT_EQUAL
    if relation in (Operator.EQUAL, Operator.NOT_EQUAL):
        return bool(left == right) == (relation is Operator.EQUAL)
    return bool(ORDER[relation](left, right))


def element_match(node: ElementMatch, record: Any, types: Types, prefix: str) -> bool:
    path = prefix + node.path
    field_type = types(path)
    if field_type.kind is ValueKind.OBJECT:
        return evaluate(node.inner, record, types, f"{path}.")
    item = field_type.item or field_type
    elements = [element for value in reach(record, path) if isinstance(value, list) for element in value]
    if item.kind is ValueKind.OBJECT:
        return any(evaluate(node.inner, e, lambda p: types(f"{path}.{p}")) for e in elements)
    if item.kind is ValueKind.JSON:  # a list in a list is an object to MongoDB, its indexes are the names
        objects = [{} if isinstance(e, list) else e for e in elements if isinstance(e, dict | list)]
        return any(evaluate(node.inner, e, lambda p: item) for e in objects)
    return any(evaluate(node.inner, {"value": e}, lambda p: item) for e in elements)


def items_of(node: InList) -> tuple[Literal, ...]:
    assert isinstance(node.items, tuple)
    return node.items


def holds(node: Compare | InList, record: Any, types: Types, prefix: str, literal: Literal) -> bool:
    """Whether any value at the path stands in the relation to the literal."""
    path, field_type = prefix + node.path, types(prefix + node.path)
    field_type = field_type.item or field_type if field_type.kind is ValueKind.LIST else field_type
    is_null = isinstance(literal, Text) and literal.is_null
    if field_type.is_reference and (isinstance(node, InList) or not is_null):
        path, field_type = f"{path}.entityId", field_type.fields["entityId"]
    found = [
        one for value in reach(record, path) for one in [value, *(value if isinstance(value, list) else [])]
    ]
    if is_null:
        return None in found
    is_equality = isinstance(node, InList) or node.operator in (Operator.EQUAL, Operator.NOT_EQUAL)
    order = None if is_equality else ORDER[node.operator]
    return any(relates(value, literal, field_type, order) for value in found)


def relates(value: Any, literal: Literal, field_type: FieldType, order: Any) -> bool:
    assert not hasattr(literal, "name")
    text = literal.id if isinstance(literal, ReferenceId) else literal.text
    if isinstance(literal, Text) and (literal.is_pattern or literal.ignore_case):
        wild = literal.wild or (range(len(text)) if literal.is_pattern else ())
        signs = {"*": ".*", "?": "."}
        pattern = "".join(
            signs.get(sign, re.escape(sign)) if at in wild else re.escape(sign)
            for at, sign in enumerate(text)
        )
        flags = re.DOTALL | (re.IGNORECASE if literal.ignore_case else 0)
        return isinstance(value, str) and re.fullmatch(pattern, value, flags) is not None
    if field_type.kind in (ValueKind.DATE, ValueKind.DATETIME) and len(text) < 10:
        if order is None:
            day = value.date().isoformat() if isinstance(value, datetime) else value
            return isinstance(day, str) and day.startswith(f"{text}-")
        text += "-01" if len(text) == 7 else "-01-01"
    if field_type.kind is ValueKind.DATETIME and len(text) == 10 and order is None:
        start = datetime.fromisoformat(text).replace(tzinfo=UTC)
        return isinstance(value, datetime) and start <= value < start + timedelta(days=1)
    other = plain(text, literal, field_type.kind)
    alike = any(type(value) in kinds and type(other) in kinds for kinds in KINDS)
    return alike and bool((order or operator.eq)(value, other))


def plain(text: str, literal: Literal, kind: ValueKind) -> Any:
    if kind is ValueKind.JSON:
        if isinstance(literal, Number):
            return float(text.lstrip("#"))
        return text if literal.quoted else {"5": 5, "2.5": 2.5, "true": True}[text]
    if kind is ValueKind.DATETIME:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    number = (
        Decimal(text.lstrip("#"))
        if kind in (ValueKind.INTEGER, ValueKind.NUMBER, ValueKind.DECIMAL)
        else None
    )
    return number if number is not None else text == "true" if kind is ValueKind.BOOLEAN else text


def reach(value: Any, path: str) -> Iterator[Any]:
    """What lies at a dotted path, through lists; None where something is missing on the way."""
    step, _, rest = path.partition(".")
    if isinstance(value, list):
        for element in value:
            if isinstance(element, dict):
                yield from reach(element, path)
    elif not isinstance(value, dict):
        yield None
    elif rest:
        yield from reach(value.get(step), rest)
    else:
        yield value.get(step)


def stored(value: Any, field_type: FieldType) -> Any:
    """A plain value as the store keeps it."""
    if value is None or field_type.kind is ValueKind.JSON:
        return value
    match field_type.kind:
        case ValueKind.OBJECT:
            return {name: stored(inner, field_type.fields[name]) for name, inner in value.items()}
        case ValueKind.LIST:
            return [stored(inner, field_type.item or field_type) for inner in value]
        case ValueKind.OBJECT_ID:
            return ObjectId(value)
        case ValueKind.DECIMAL:
            return Decimal128(value)
        case _:
            return value


@settings(max_examples=BATCHES)
@given(seed=st.integers(0, 2**32))
def test_the_store_finds_what_the_evaluator_finds(
    mongo_client: MongoClient[dict[str, Any]], seed: int
) -> None:
    random = Random(seed)
    kind = random_kind(random)
    fields = {name: kind.fields[name] for name in NAMES}
    records = [random_record(random, fields) for _ in range(RECORDS)]
    rows = mongo_client["filter-test"][f"plain-{uuid4().hex[:8]}"]
    rows.insert_many(
        {"_id": at, **stored(r, FieldType(ValueKind.OBJECT, fields))} for at, r in enumerate(records)
    )
    try:
        for _ in range(FILTERS):
            tree = random_filter(random, kind)
            text = print_filter(tree)
            assert parse_filter(text).expression == tree
            match = compile_filter(text, kind).match
            found = {row["_id"] for row in rows.find(match, {"_id": 1})}
            expected = {at for at, record in enumerate(records) if evaluate(tree, record, kind.field_at)}
            assert found == expected, (text, match, [records[at] for at in found ^ expected][:2])
    finally:
        rows.drop()
