"""An aggregate, checked before the store is asked: fields, types, columns, having and sort. Pure."""

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from runtime.contract.aggregates import AggregateBody
from runtime.errors import InvalidParameter, UnknownField
from runtime.filter import EVERYTHING, Columns, Field, Moment, compile_having, locate, parse_sort
from runtime.model.attribute_names import show_path
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import around, is_within
from runtime.model.record_type import RecordType
from runtime.query.aggregate_texts import NamedKey, read_key, read_measure
from runtime.storage.store import Function, Grouping, Measure, Unit, key_column, measure_column

_TEXT: Final = FieldType(ValueKind.STRING)
_WHOLE: Final = FieldType(ValueKind.INTEGER)
_NUMBERS: Final = (ValueKind.INTEGER, ValueKind.NUMBER, ValueKind.DECIMAL, ValueKind.JSON)
_WITHOUT_ORDER: Final = (ValueKind.BOOLEAN, ValueKind.OBJECT, ValueKind.MAP, ValueKind.LIST)
_WITHOUT_VALUE: Final = (ValueKind.OBJECT, ValueKind.MAP, ValueKind.LIST)
_DATES: Final = (ValueKind.DATE, ValueKind.DATETIME)


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """What the store is asked for, and the columns of the answer: shown name → column and type."""

    grouping: Grouping
    columns: Mapping[str, Field]


def plan_groups(
    kind: RecordType[Any], hidden: frozenset[str], body: AggregateBody, limit: int, moment: Moment
) -> GroupPlan:
    """Check an aggregate. Raises ``InvalidParameter``, ``UnknownField`` and what a filter does."""
    if not body.group_by and not body.measures:
        raise InvalidParameter("name a field in groupBy, or a measure", parameter="groupBy")
    reader = _Reader(kind, hidden)
    keys = [reader.read_key(text, f"groupBy[{at}]") for at, text in enumerate(body.group_by)]
    lists = frozenset(path for one in keys for path in reader.locate(one.key.path, "groupBy").lists)
    measures = {name: reader.read_measure(text, name, lists) for name, text in body.measures.items()}
    columns: dict[str, Field] = {}
    for at, one in enumerate(keys):
        name = one.name or show_path(one.key.path)
        _add(columns, name, Field(key_column(at), reader.type_of_key(one), ()), f"groupBy[{at}]")
    for at, (name, measure) in enumerate(measures.items()):
        _add(
            columns, name, Field(measure_column(at), reader.type_of_measure(measure), ()), f"measures.{name}"
        )
    table = Columns(f"groups of {kind.shown_name}", dict(_places(columns)))
    grouping = Grouping(
        keys=tuple(one.key for one in keys),
        measures=tuple(measures.values()),
        time_zone=body.time_zone,
        having=compile_having(body.having, table, moment) if body.having else EVERYTHING,
        order=_order(body.sort, table),
        skip=body.skip,
        limit=limit + 1,
    )
    return GroupPlan(grouping, columns)


def _order(sort: str | None, table: Columns) -> tuple[tuple[str, int], ...]:
    order = parse_sort(sort, table)
    return (*order[:-1], ("_id", 1))  # ties by the group, ascending whatever comes before


def _add(columns: dict[str, Field], name: str, place: Field, parameter: str) -> None:
    if name in columns:
        raise InvalidParameter(f"two columns are called {name}: name one with as", parameter=parameter)
    columns[name] = place


def _places(columns: Mapping[str, Field]) -> Iterator[tuple[str, Field]]:
    """Yield the columns as a filter and a sort may name them, with the names in references."""
    for name, place in columns.items():
        for part, inner in place.type.fields.items() if place.type.is_reference else ():
            if (path := f"{name}.{part}") not in columns:
                yield path, Field(f"{place.path}.{part}", inner, ())
        yield name, place


class _Reader:
    """Reads fields of one record type for one caller."""

    def __init__(self, kind: RecordType[Any], hidden: frozenset[str]) -> None:
        self._kind, self._hidden = kind, hidden

    def locate(self, path: str, parameter: str) -> Field:
        """Find the field at a path. One with a hidden part inside it is unknown, unless a reference."""
        with suppress(UnknownField):
            found = locate(self._kind, path, self._hidden)
            if found.element.is_reference or not any(is_within(one, (found.path,)) for one in self._hidden):
                return found
        try:
            self._kind.field_at(path, self._hidden | self._find_cut(path))
        except UnknownField as error:
            error.details["parameter"] = parameter
            raise
        raise self._kind.unknown_field(path, path, [])

    def _find_cut(self, path: str) -> Set[str]:
        """Find the objects with hidden parts, but for those around the path: no advice may name them."""
        cut = {outer for one in self._hidden for outer in around(one)} - {*around(path)}
        types = {outer: self._kind.find(outer) for outer in cut}
        return {outer for outer, found in types.items() if not (found and found.innermost.is_reference)}

    def read_key(self, text: str, parameter: str) -> NamedKey:
        """Read and check an entry of ``groupBy``."""
        named = read_key(text, parameter)
        path, unit = named.key.path, named.key.unit
        element = self.locate(path, parameter).element
        fault = None
        if unit is not None and element.kind not in _DATES:
            fault = f"{path} is not a date: leave out .by({unit})"
        elif unit is Unit.HOUR and element.kind is ValueKind.DATE:
            fault = f"{path} is a date without hours: write {path}.by(day)"
        elif element.kind in _WITHOUT_VALUE and not element.is_reference:
            fault = f"{path} has no single value: group by a field in it"
        if fault:
            raise InvalidParameter(fault, parameter=parameter)
        return named

    def read_measure(self, text: str, name: str, unwound: frozenset[str]) -> Measure:
        parameter = f"measures.{name}"
        measure = read_measure(text, parameter)
        if measure.path is not None:
            found = self.locate(measure.path, parameter)
            if fault := _measure_fault(measure, found, unwound):
                raise InvalidParameter(fault, parameter=parameter)
        return measure

    def type_of_key(self, named: NamedKey) -> FieldType:
        """Return the type of the column of a key; of a reference with the names that the caller may see."""
        if named.key.unit is not None:
            return _TEXT
        found = self.locate(named.key.path, "groupBy")
        if not found.element.is_reference:
            return found.element
        names = {
            name: inner
            for name, inner in found.element.fields.items()
            if name != "realm" and not is_within(f"{found.path}.{name}", self._hidden)
        }
        return replace(found.element, fields=names)

    def type_of_measure(self, measure: Measure) -> FieldType:
        if measure.path is None or measure.function in (Function.COUNT, Function.COUNT_DISTINCT):
            return _WHOLE
        element = self.locate(measure.path, "measures").element
        if measure.function is Function.AVG and element.kind is ValueKind.INTEGER:
            return FieldType(ValueKind.NUMBER)
        return element


def _measure_fault(measure: Measure, found: Field, unwound: frozenset[str]) -> str | None:
    path, function, element = measure.path, measure.function, found.element
    through = [one for one in found.lists if one not in unwound]
    if element.is_reference:
        is_counted = function in (Function.COUNT, Function.COUNT_DISTINCT)
        if not is_counted:
            return f"{path} is a reference: write countDistinct({path}), or group by it"
    elif element.kind in _WITHOUT_VALUE:
        return f"{path} has no single value: name a field in it"
    elif function in (Function.SUM, Function.AVG) and element.kind not in _NUMBERS:
        return f"{path} is {_article(element.kind)}, which has no {function}: write countDistinct({path})"
    elif function in (Function.MIN, Function.MAX) and element.kind in _WITHOUT_ORDER:
        return f"{path} is {_article(element.kind)}, which has no order: group by it"
    if function is Function.COUNT_DISTINCT and through:
        return f"{path} is in the list {through[0]}: group by a field in {through[0]} too, or count({path})"
    return None


def _article(kind: ValueKind) -> str:
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"
