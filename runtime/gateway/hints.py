"""Hints about queries and permissions for agents, from the caller's own record types and rights.

Each example is one that this caller can send as it is: a test sends them all.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from runtime.access.guard import allow, find_access
from runtime.call import Call
from runtime.gateway.root_types import list_visible_types
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record_type import RecordType
from runtime.storage.access import Action

Hint = dict[str, Any]

_GRAMMAR: Final = (
    ("field:value", "the field has this value; dotted names lead into objects and references"),
    ("field:!value", "the field has another value, or none"),
    ("field:<5  field:>=5", "less, at least; also :<= and :>"),
    ("field:A*", "text that begins with A; * and ? stand for any characters, outside of quotes"),
    ('field:"two words"', "text in quotes is taken as it is"),
    ("field:^[A,B]", "one of these values; :!^ none of them"),
    ("field:~  !!field:~", "the field is set; it is not set"),
    ("moment:>=now-7d  moment:2026-03", "from seven days ago on; in that month"),
    ("list:{ a:1 && b:2 }", "one element of the list matches all of it"),
    ("reference{ name:A* }", "the record that is referred to matches"),
    ("a && b   a || b   !!(a)", "and, or, not"),
    ("fields:[+a,+b]", "only these fields of each record"),
)
_EXPANSION: Final = (
    "expand(reference)",
    "the record takes the place of the reference to it; an operand of the outermost &&",
)
_EDGE: Final = (
    "hasEdge(predicate, id)",
    "an edge of the ontology connects it with that record; hasOutgoingEdge, hasIncomingEdge: one way",
)
_TIPS: Final = (
    "Begin with query_rootTypes; read the schema of a record type before you query it.",
    "Check a query with query_plan: mistakes are named with the column and the nearest names.",
    "Count with query_count, and add up with query_aggregate, in place of reading many records.",
    "References hold entityId, entityRefName, entityDisplayName: customer.entityRefName:A* needs no expand.",
    "Text is compared with case; write ~ci behind a value to ignore it.",
    "Check a write with dryRun: true first.",
)
_ONTOLOGY_TIP: Final = (
    "query_predicates lists how record types are connected, query_relationships the edges of a record."
)
_SUMMARY: Final = (
    "Permissions are decided by rules on area, functional domain and action of a record type. "
    "POST /security/permission/check answers ALLOW or DENY for you and names the rule that decided."
)


def describe_queries(call: Call) -> Hint:
    """Describe the language of queries, with examples."""
    kinds = [kind for kind in list_visible_types(call) if kind.operations & {"list", "find"}]
    examples = [one for kind in kinds for one in _list_examples(call, kind)]
    expansion = (_EXPANSION,) if call.service.settings.gateway_executes else ()
    edge, tip = ((_EDGE,), (_ONTOLOGY_TIP,)) if call.service.edges else ((), ())
    grammar = [{"write": write, "means": means} for write, means in (*_GRAMMAR, *expansion, *edge)]
    return {"grammar": grammar, "examples": examples, "tips": (*_TIPS, *tip)}


def describe_permissions(call: Call) -> Hint:
    """Describe how permissions are decided, and what the caller may do."""
    kinds = list_visible_types(call)
    return {
        "summary": _SUMMARY,
        "subjects": [
            {
                "rootType": kind.qualified_name,
                "area": kind.area,
                "functionalDomain": kind.domain,
                "actions": [str(action) for action in Action if find_access(call, kind, action)],
            }
            for kind in kinds
        ],
        "examples": [
            {
                "intent": f"whether you may delete records of {kind.shown_name}",
                "request": {"area": kind.area, "functionalDomain": kind.domain, "action": "DELETE"},
            }
            for kind in kinds
        ],
    }


def _list_examples(call: Call, kind: RecordType[Any]) -> Iterator[Hint]:
    """Yield one query for each sort of field that the type has and the caller may name."""
    hidden = allow(call, kind, Action.VIEW).hidden
    fields = {name: one for name, one in kind.fields.items() if name not in hidden}
    yield _example(kind, "by the beginning of the reference name", "refName:A*")
    for field, graph in kind.states.items():
        if field in fields:
            yield _example(
                kind, f"in the state {graph.initial_states[0]}", f"{field}:{graph.initial_states[0]}"
            )
            break
    for name, word in _find_fields(fields):
        yield _example(kind, f"where {name} is set", f"{name}:~{word}")
    for reference in kind.references:
        name = reference.stored
        if "." not in reference.path and name in fields and f"{name}.entityRefName" not in hidden:
            yield from _list_reference_examples(call, kind, reference.path, reference.target)
            break


def _list_reference_examples(call: Call, kind: RecordType[Any], path: str, target: str) -> Iterator[Hint]:
    name = path.removesuffix("[]")
    yield _example(kind, f"whose {name} has a reference name that begins with A", f"{name}.entityRefName:A*")
    executes = call.service.settings.gateway_executes
    if executes and find_access(call, call.service.catalog[target], Action.VIEW):
        yield _example(kind, f"with {name} embedded", f"expand({path.replace('[]', '[*]')})")


def _find_fields(fields: Mapping[str, FieldType]) -> Iterator[tuple[str, str]]:
    """Yield the first timestamp and the first number, with a bound for it."""
    bounds = {ValueKind.DATETIME: "2026-01-01", ValueKind.DECIMAL: "0", ValueKind.INTEGER: "0"}
    for kind, bound in bounds.items():
        found = next((name for name, one in fields.items() if one.kind is kind and name != "version"), None)
        if found is not None:
            yield found, f" && {found}:>={bound}"


def _example(kind: RecordType[Any], intent: str, query: str) -> Hint:
    return {"intent": f"{kind.shown_name} {intent}", "rootType": kind.qualified_name, "query": query}
