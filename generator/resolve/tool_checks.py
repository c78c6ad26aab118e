"""What a tool says about its record type: filters, arguments, states."""

from collections.abc import Collection

from generator.filters import (
    VARIABLES,
    hidden_fields_named,
    list_problem,
    list_variables,
    list_words,
    variable_problem,
)
from generator.model import Kind, Record, Structure, Type
from generator.operations import BY_KEY
from generator.problems import did_you_mean, nearest
from generator.resolve.context import Spot
from generator.resolve.fields import a
from generator.resolve.graphs import find_next, list_choices
from generator.resolve.paths import COMMON_FIELDS, COMMON_NAMES, Paths, advise_order
from generator.resolve.tool_arguments import find_misfit
from generator.spec import ToolSpec
from runtime.filter import split_marks

_MAX_LIMIT = 1000
_ANY = frozenset({"boolean", "list", "number", "object", "text"})
_SHAPES = {
    Kind.BOOLEAN: frozenset({"boolean"}),
    Kind.LIST: frozenset({"list"}),
    Kind.INTEGER: frozenset({"number"}),
    Kind.NUMBER: frozenset({"number"}),
    Kind.DECIMAL: frozenset({"number", "text"}),
    Kind.JSON: _ANY,
    **dict.fromkeys((Kind.OBJECT, Kind.STRUCTURE, Kind.MAP, Kind.REFERENCE), frozenset({"object"})),
}
"""How values are written in JSON; those of other types are text."""
_WITH_MEMBERS = frozenset({Kind.OBJECT, Kind.STRUCTURE})
_NO_VALUES = frozenset({Kind.OBJECT, Kind.STRUCTURE, Kind.MAP, Kind.JSON, Kind.LIST})


def check_on_record(spot: Spot, spec: ToolSpec, deed: str, record: Record, arguments: Structure) -> None:
    """Check a tool that is about records of one type."""
    if spec.limit is not None and not 1 <= spec.limit <= _MAX_LIMIT:
        spot.report("SPEC082", f"limit is not between 1 and {_MAX_LIMIT}", "limit")
    if spec.filter is not None:
        _check_filter(spot, spec, spec.filter, arguments, record)
    for word, text in (("sort", spec.sort), ("projection", spec.projection)):
        if text is not None:
            _check_names(spot, word, text, record)
    if deed == "transition":
        _check_transition(spot, spec, record, arguments)
    if deed in ("save", "transition"):
        _check_members(spot, spec, deed, record, arguments)
    elif spec.filter is None or spot.context.filter_problem(spec.filter, record) is None:
        _check_used(spot, spec, deed, arguments)
    _check_offered(spot, deed, record)


def _check_members(spot: Spot, spec: ToolSpec, deed: str, record: Record, arguments: Structure) -> None:
    """Check that arguments are members of the record, or the state that a transition takes."""
    known = COMMON_NAMES | {field.name for field in record.fields}
    known |= {"to"} if deed == "transition" and spec.to is None else set()
    unsure = spot.context.unsure.get(record.name, frozenset())
    if deed == "save":
        unknown = spec.arguments.keys() - known - unsure
        misspelt = {near for name in unknown for near in nearest(name, known)}  # and reported as that
        _check_complete(spot, record, spec.arguments.keys() | misspelt)
    for name in (field.name for field in arguments.fields if field.name not in known | unsure):
        message = f'{record.name} has no field "{name}"{did_you_mean(name, known)}'
        spot.within("arguments").report_key("SPEC034", message, name)
    types = {field.name: field.type for field in (*COMMON_FIELDS, *record.fields)}
    paths = Paths(spot.context.built_structures, spot.context.unsure)
    for one in arguments.fields:
        target = types.get(one.name, one.type)
        if clash := _find_clash(paths, record, one.name, (one.type, target), is_whole=deed == "save"):
            spot.within("arguments").report_key("SPEC082", clash, one.name)


def _find_clash(
    paths: Paths, record: Record, path: str, pair: tuple[Type, Type], *, is_whole: bool
) -> str | None:
    """Return why a record takes no value of an argument, or of a member of it, or None.

    ``pair``: the types of the argument and of the field. ``is_whole``: what is sent takes the place of what
    is stored, where objects are merged otherwise.
    """
    kind, target = pair
    named = f"{path} of {record.name}"
    if not _find_shapes(kind) & _find_shapes(target):
        return f"{named} is {a(target)}, and no value of this argument is one"
    if target.values and (odd := [one for one in kind.values if one not in target.values]):
        return f'{named} is never "{odd[0]}"{did_you_mean(odd[0], target.values)}'
    if kind.item and target.item and kind.kind is target.kind:
        is_item = is_whole or kind.kind is Kind.LIST
        return _find_clash(paths, record, path, (kind.item, target.item), is_whole=is_item)
    if not {kind.kind, target.kind} <= _WITH_MEMBERS:
        return None
    given, taken = ({one.name: one for one in paths.below(its) or ()} for its in pair)
    needed = [name for name, one in taken.items() if one.required and name not in given]
    if is_whole and needed and not record.lenient:
        return f"{named} is never saved without {needed[0]}: add it to the argument"
    for name, one in given.items():
        if name in taken:
            found = _find_clash(
                paths, record, f"{path}.{name}", (one.type, taken[name].type), is_whole=is_whole
            )
        else:
            is_unknown = taken and not paths.is_unsure(target, name)
            found = f'{named} has no field "{name}"{did_you_mean(name, taken)}' if is_unknown else None
        if found:
            return found
    return None


def _find_shapes(kind: Type) -> frozenset[str]:
    """Find how values of a type are written in JSON."""
    return _SHAPES.get(kind.kind, frozenset({"text"}))


def _check_complete(spot: Spot, record: Record, given: Collection[str]) -> None:
    """Check that the arguments of a tool that saves a record are enough for one."""
    required = () if record.lenient else [one for one in record.fields if one.required]
    needed = {one.name for one in required if not one.is_made_by_server} | _find_open_states(spot, record)
    if missing := ", ".join(sorted(needed.difference(given))):
        message = f"{record.name} is never saved without {missing}: add arguments for what it requires"
        spot.report("SPEC082", message, "save")


def _find_open_states(spot: Spot, record: Record) -> set[str]:
    """Return the state fields that begin in one of several states, so that callers have to choose."""
    fields = (one for one in record.fields if one.default is None and not one.is_made_by_server)
    return {one.name for one in fields if list_choices(spot.context, one.type)}


def _check_used(spot: Spot, spec: ToolSpec, deed: str, arguments: Structure) -> None:
    """Check that the filter names each argument. One that names an unknown variable is reported for that."""
    named, given = set(list_variables(spec.filter or "")), {field.name for field in arguments.fields}
    if named - given - VARIABLES or spec.arguments.keys() - given:
        return
    for name in (field.name for field in arguments.fields if field.name not in named):
        message = (
            f"the {deed} does nothing with the argument {name}: write ${{{name}}} in filter, or remove it"
        )
        spot.within("arguments").report_key("SPEC082", message, name)


def _check_offered(spot: Spot, deed: str, record: Record) -> None:
    """Check that the record type has the operation; unknown ones in its list may mean it."""
    wanted = {"query": "list", "transition": "patch"}.get(deed, deed)
    document = spot.context.records[record.name]
    is_sure = (
        BY_KEY.keys() >= {*(document.spec.endpoints or ())} and "endpoints" not in document.omitted_words
    )
    if wanted in {row.key for row in record.operations} or not is_sure:
        return
    message = f"{record.name} does not offer what {deed} needs: add {wanted} to its endpoints"
    spot.report("SPEC082", message, deed)


def _check_names(spot: Spot, word: str, text: str, record: Record) -> None:
    """Check the fields of an order or a projection as the service would, unless one is broken."""
    paths = Paths(spot.context.built_structures, spot.context.unsure)
    names = (split_marks(entry.strip().lstrip("+-"))[0] for entry in text.split(","))
    if any(paths.is_broken(record, name) for name in names):
        return
    if found := list_problem(word, text, record, spot.context.built_structures):
        message, is_unknown = found
        if word == "sort" and (advice := next(filter(None, map(advise_order, text.split(","))), None)):
            message = f"the order is a sign before the name{advice}"
        spot.report("SPEC034" if is_unknown else "SPEC082", message, word)


def _check_filter(spot: Spot, spec: ToolSpec, text: str, arguments: Structure, record: Record) -> None:
    given = {field.name: field for field in arguments.fields}
    if (spec.arguments.keys() - given.keys()) & {*list_variables(text)}:
        return  # the argument is there, and reported
    if wrong := variable_problem(text, given.keys() | VARIABLES):
        spot.report("SPEC080", wrong, "filter")
        return
    for name in list_variables(text):
        if name in given and not given[name].required and given[name].default is None:
            message = f"the filter needs ${{{name}}}: make the argument required, or give it a default"
            spot.report("SPEC080", message, "filter")
            return
        if name in given and given[name].type.element.kind in _NO_VALUES:
            spot.report("SPEC080", f"${{{name}}} is neither a single value nor a list of them", "filter")
            return
    if wrong := spot.context.filter_problem(text, record):
        spot.report("SPEC080", f"the filter does not compile: {wrong}", "filter")
    elif hidden := hidden_fields_named(text, record):
        message = (
            f"the filter names {hidden[0]} of {record.name}, which is hidden: no caller may filter by it"
        )
        spot.report("SPEC080", message, "filter")
    else:
        _check_fit(spot, text, arguments, record)


def _check_fit(spot: Spot, text: str, arguments: Structure, record: Record) -> None:
    """Check that each argument can be compared where the filter names it."""
    words = sorted(list_words(record, spot.context.built_structures))

    def check(filled: str) -> str | None:
        return spot.context.filter_problem(filled, record)

    for field in arguments.fields:
        if wrong := find_misfit(text, field.name, field.type, words, check):
            spot.report("SPEC080", wrong, "filter")


def _check_transition(spot: Spot, spec: ToolSpec, record: Record, arguments: Structure) -> None:
    required = {field.name: field.type for field in arguments.fields if field.required}
    if "id" not in required or required["id"].kind is not Kind.OBJECT_ID:
        spot.report("SPEC082", "a transition needs the argument id: {type: objectId, required: true}")
    if spec.to is None and "to" not in required:
        spot.report("SPEC082", "name the state with to, or take it as a required argument of that name")
    chosen = _choose_graph(spot, spec, record)
    if chosen and spec.to is not None:
        _check_goal(spot, spec.to, chosen)


def _choose_graph(spot: Spot, spec: ToolSpec, record: Record) -> Type | None:
    """Return the state field that is moved; None if it is broken, or reported here."""
    fields = {field.name: field.type for field in record.fields if field.type.kind is Kind.STATES}
    unsure = spot.context.unsure.get(record.name, frozenset())
    if spec.field is None:
        if len(fields) > 1 and not unsure:
            spot.report("SPEC082", f"{record.name} has {len(fields)} state fields: name one with field")
        elif not fields and not unsure:
            spot.report("SPEC082", f"{record.name} has no field with states to move", "transition")
        return None if unsure else next(iter(fields.values()), None)
    if spec.field not in fields and spec.field not in unsure:
        near = did_you_mean(spec.field, fields)
        spot.report("SPEC034", f'{record.name} has no state field "{spec.field}"{near}', "field")
    return fields.get(spec.field)


def _check_goal(spot: Spot, goal: str, chosen: Type) -> None:
    """Check that some state leads to the one that a transition goes to."""
    graph = spot.context.graphs[chosen.target or ""].spec
    entered = {name for state in graph.states.values() for name in find_next(graph, state)}
    if goal not in chosen.values:
        near = did_you_mean(goal, entered or chosen.values)
        spot.report("SPEC061", f'{chosen.target} has no state "{goal}"{near}', "to")
    elif goal not in entered:
        near = did_you_mean(goal, entered)
        spot.report("SPEC082", f"no state of {chosen.target} leads to {goal}{near}", "to")
