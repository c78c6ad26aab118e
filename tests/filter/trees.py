"""Random record types, records and filters that fit them: for the tests against a real MongoDB.

Values come from few, so that random filters meet random records.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any, Literal

from pydantic import AwareDatetime, create_model

from runtime.filter.syntax import (
    Compare,
    ElementMatch,
    EveryElement,
    Exists,
    Expression,
    InList,
    Operator,
    conjunction,
    disjunction,
    negation,
)
from runtime.filter.syntax_literals import Literal as Value
from runtime.filter.syntax_literals import Number, OtherField, ReferenceId, Text
from runtime.model.field_type import FieldType, ValueKind, find_field
from runtime.model.record import EntityReference, ObjectIdText, Record, RecordInput, Strict
from runtime.model.record_type import RecordType

K = ValueKind
SCALARS = [str, Literal["RED", "GREEN", "BLUE"], int, float, Decimal, bool, date, AwareDatetime, ObjectIdText]
WORDS = ["a", "A", "ab", "Ab", "abc", "b a", "", "null", "5", "a*b", "é", "É", "a.b", "a\nb"]
DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"]
SPANS = ["2026", "2025", "2026-01", "2025-12"]
MOMENTS = [
    *("2026-01-01T23:59:59.999Z", "2026-01-02T00:00:00Z", "2026-01-02T12:30:00.001Z"),
    *("2026-01-02T23:59:59.999Z", "2026-01-03T00:00:00Z"),
]
IDS = [f"65f0c0ffee00c0ffee00c0d{digit}" for digit in "def"]
NAMES = ["one", "two", "three", "four", "five", "six", "seven"]
ORDERED = {K.STRING, K.INTEGER, K.NUMBER, K.DECIMAL, K.DATE, K.DATETIME, K.OBJECT_ID, K.JSON}
EQUALITIES = [Operator.EQUAL, Operator.NOT_EQUAL]
ORDERINGS = [
    Operator.LESS,
    Operator.LESS_OR_EQUAL,
    Operator.GREATER,
    Operator.GREATER_OR_EQUAL,
]


def random_kind(random: Random) -> RecordType[Any]:
    """A record type of seven fields, one of them a list of objects and one free-form."""
    inner = create_model("Inner", __base__=Strict, **_fields(random, NAMES[:4], [*SCALARS, list[int]]))
    shapes = [
        *SCALARS,
        list[str],
        list[int],
        list[AwareDatetime],
        EntityReference,
        list[EntityReference],
        inner,
    ]
    fields = _fields(random, NAMES[:5], [*shapes, dict[str, int]])
    fields |= {"six": (list[inner] | None, None), "seven": (Any, None)}
    return RecordType(
        name="Any", area="test", model=create_model("Any", __base__=Record, **fields),
        input=create_model("AnyInput", __base__=RecordInput, **fields), collection="any", base_path="/any",
    )  # fmt: skip


def _fields(random: Random, names: list[str], shapes: list[Any]) -> dict[str, Any]:
    return {name: (random.choice(shapes) | None, None) for name in names}


def random_value(random: Random, field_type: FieldType) -> Any:
    """A stored value in plain Python (ids as text, decimals as ``Decimal``), sometimes null."""
    if random.random() < 0.1:
        return None
    match field_type.kind:
        case K.OBJECT:
            return random_record(random, field_type.fields)
        case K.LIST:
            assert field_type.item
            items = [random_value(random, field_type.item) for _ in range(random.randrange(4))]
            return [item for item in items if item is not None]
        case K.MAP:
            assert field_type.item
            return {
                key: random_value(random, field_type.item) for key in random.sample("ab", random.randrange(3))
            }
        case K.JSON:
            return _json(random, 2)
        case _:
            return _scalar(random, field_type)


def random_record(random: Random, fields: Any) -> dict[str, Any]:
    """An object with some of the fields."""
    some = [name for name in fields if random.random() < 0.85]
    return {name: random_value(random, fields[name]) for name in some}


def _scalar(random: Random, field_type: FieldType) -> Any:
    if field_type.values:
        return random.choice(field_type.values)
    return {
        K.STRING: lambda: random.choice(WORDS),
        K.INTEGER: lambda: random.choice([-1, 0, 1, 2, 5, 2**40]),
        K.NUMBER: lambda: random.choice([-1.5, 0.0, 1.0, 2.5, 5.0]),
        K.DECIMAL: lambda: Decimal(random.choice(["-1.50", "0", "1.0", "2.5", "5.00"])),
        K.BOOLEAN: lambda: random.random() < 0.5,
        K.DATE: lambda: random.choice(DAYS),
        K.DATETIME: lambda: datetime.fromisoformat(random.choice(MOMENTS)).astimezone(UTC),
        K.OBJECT_ID: lambda: random.choice(IDS),
    }[field_type.kind]()


def _json(random: Random, depth: int) -> Any:
    shape = random.randrange(6 if depth else 4)
    if shape == 4:
        return {key: _json(random, depth - 1) for key in random.sample("ab", random.randrange(3))}
    if shape == 5:
        return [_json(random, depth - 1) for _ in range(random.randrange(3))]
    return [random.choice(WORDS), random.choice([0, 1, 2.5, 5]), random.random() < 0.5, None][shape]


def random_filter(random: Random, kind: RecordType[Any], depth: int = 3) -> Expression:
    """A filter on the fields ``one`` … ``seven`` that the compiler accepts."""
    return _expression(random, {name: kind.fields[name] for name in NAMES}, depth)


def _expression(random: Random, fields: Any, depth: int, *, in_list: bool = False) -> Expression:
    shape = random.randrange(12) if depth else 9
    if shape == 10 and not in_list and (compared := _two_fields(random, fields)):
        return compared
    if shape < 4:
        join = conjunction if shape < 2 else disjunction
        return join(
            [_expression(random, fields, depth - 1, in_list=in_list) for _ in range(random.randint(2, 3))]
        )
    if shape == 4:
        return negation(_expression(random, fields, depth - 1, in_list=in_list))
    path, field_type = _path(random, fields)
    element = field_type.item if field_type.kind is K.LIST and field_type.item else field_type
    if shape == 11 and field_type.kind is K.LIST:
        return _on_a_list(random, path, element, depth)
    if shape < 7 and element.kind is K.OBJECT:
        below = in_list or _in_list(fields, path)
        return ElementMatch(path, _expression(random, element.fields, depth - 1, in_list=below))
    if shape < 7 and element.kind is K.JSON:
        free_form = {"a": element, "b": element}
        return ElementMatch(path, _expression(random, free_form, depth - 1, in_list=True))
    if shape < 7 and field_type.kind is K.LIST:
        return ElementMatch(path, _condition(random, "value", element, is_plain=True))
    return _condition(random, path, element)


def _on_a_list(random: Random, path: str, element: FieldType, depth: int) -> Expression:
    """Its number of elements, or what every element meets."""
    if random.random() < 0.5:
        sizes = [Text(str(random.choice([-1, 0, 1, 2, 3]))) for _ in range(random.randrange(3))]
        if random.random() < 0.3:
            return InList(f"{path}.size", tuple(sizes), random.random() < 0.5)
        return Compare(
            f"{path}.size", random.choice(EQUALITIES + ORDERINGS), Text(str(random.randrange(-1, 4)))
        )
    if element.kind is K.OBJECT:
        return EveryElement(path, _expression(random, element.fields, depth - 1, in_list=True))
    return EveryElement(path, _condition(random, "value", element, is_plain=True))


_NUMBERS = {K.INTEGER, K.NUMBER, K.DECIMAL}
_TOGETHER: list[set[K]] = [_NUMBERS, {K.STRING}, {K.BOOLEAN}, {K.DATE}, {K.DATETIME}, {K.OBJECT_ID}]


def _two_fields(random: Random, fields: Any) -> Compare | None:
    """Two fields outside of lists whose types go together, if a few tries find such."""
    paths = [_path(random, fields) for _ in range(30)]
    outside = [(path, found) for path, found in paths if not _in_list(fields, path)]
    path, found = random.choice(outside or [("", FieldType(K.JSON))])
    alike = next((one for one in _TOGETHER if _compared_kind(found) in one), set())
    others = [other for other, one in outside if _compared_kind(one) in alike and other != path]
    if not others:
        return None
    is_ordered = alike.isdisjoint((K.BOOLEAN, K.OBJECT_ID))  # a reference is among ids, and has no order
    operator = random.choice(EQUALITIES + ORDERINGS if is_ordered else EQUALITIES)
    return Compare(path, operator, OtherField(random.choice(others)))


def _compared_kind(field_type: FieldType) -> K:
    return K.OBJECT_ID if field_type.is_reference else field_type.kind


def _in_list(fields: Any, path: str) -> bool:
    """Whether a path is a list, leads through one, or through what is free-form."""
    steps = path.split(".")
    found = [find_field(fields, ".".join(steps[: at + 1])) for at in range(len(steps))]
    return any(one is None or one.kind in (K.LIST, K.JSON) for one in found)


def _path(random: Random, fields: Any) -> tuple[str, FieldType]:
    path = random.choice(list(fields))
    field_type = fields[path]
    while random.random() < 0.6:
        element = field_type.item if field_type.kind is K.LIST and field_type.item else field_type
        inner = {
            K.OBJECT: element.fields,
            K.MAP: dict.fromkeys("ab", element.item),
            K.JSON: dict.fromkeys("ab", element),
        }
        if not inner.get(element.kind):
            break
        step = random.choice(list(inner[element.kind]))
        path, field_type = f"{path}.{step}", inner[element.kind][step]
    return path, field_type


def _condition(random: Random, path: str, element: FieldType, *, is_plain: bool = False) -> Expression:
    shape = random.randrange(8)
    if shape == 0 and not is_plain:
        return Exists(path)
    if shape == 1 or (element.kind in (K.OBJECT, K.MAP) and not element.is_reference):
        return Compare(path, random.choice(EQUALITIES), Text("null"))
    if shape == 2 and not is_plain:
        items = [
            Text("null") if random.random() < 0.1 else _literal(random, element)
            for _ in range(random.randrange(4))
        ]
        return InList(path, tuple(items), random.random() < 0.5)
    value = _literal(random, element)
    simple = isinstance(value, Text) and not value.ignore_case and not value.is_pattern
    if element.kind in ORDERED and (simple or isinstance(value, Number)) and random.random() < 0.5:
        return Compare(path, random.choice(ORDERINGS), value)
    return Compare(path, random.choice(EQUALITIES), value)


def _literal(random: Random, element: FieldType) -> Value:
    if element.is_reference:
        return ReferenceId(random.choice(IDS))
    if element.kind is K.DATETIME:
        return Text(random.choice([*DAYS, *MOMENTS, *SPANS]))
    if element.kind is K.DATE and random.random() < 0.4:
        return Text(random.choice(SPANS))
    if element.kind is K.JSON:
        return random.choice(
            [Text("5"), Text("true"), Text("2.5"), Number("##1"), _text(random), _text(random)]
        )
    if element.kind is K.STRING and not element.values:
        return _text(random)
    value = _scalar(random, element)
    if element.kind in (K.INTEGER, K.DECIMAL) and random.random() < 0.3:
        return Number(f"##{value}")
    return Text(str(value).lower() if element.kind is K.BOOLEAN else str(value))


def _text(random: Random) -> Text:
    word = random.choice(WORDS)
    if random.random() < 0.1:
        text, *wild = random.choice([("a*b*", 3), ("*.b", 0), ("?*b", 0), ("*a*b", 0)])
        return Text(text, True, random.random() < 0.4, wild=frozenset(wild))
    if random.random() < 0.3:
        return Text(
            random.choice(["a*", "*b", "a?", "*a*b", "?", "A*", "*", "b*?a"]), False, random.random() < 0.4
        )
    return Text(word, True, random.random() < 0.3)
