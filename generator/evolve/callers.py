"""What callers rely on and the document does not say: tools, roles, permissions, marks of fields and more.

Plain values, which a release stores as ``specs/released/callers.json``. One of an earlier generator lacks the
file, and is not compared in this. Record types are known by the names under which they are stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import orjson

from generator.change_rules import CHANGE_RULES
from generator.evolve.api import Document, UnreadableDocumentError, compare_tools
from generator.evolve.api.documents import PLACEHOLDER, as_list, as_object
from generator.findings import Finding
from generator.model import Endpoint, Model, Record, walk_fields
from generator.openapi import describe_tools
from runtime.model.ontology import Relationship

_WORDS = (
    ("rules", ("permission-rule-changed", "permission-rule-changed"), "rule", True),
    ("profiles", ("import-profile-changed", "import-profile-changed"), "import profile", False),
    ("settings", ("setting-changed", "setting-changed"), "setting", True),
    ("predicates", ("predicate-changed", "predicate-removed"), "predicate", False),
)
"""Sections, the rules for what differs and what is gone, what they have, and whether a new one matters."""

Found = tuple[str, str, str]
"""A rule, a place, a message."""


def describe_callers(model: Model, name: str) -> Document:
    """Describe what a model lets its callers do."""
    records = [one for one in model.records if not one.is_internal]
    routes = [one for one in model.endpoints if not one.public]
    value = {
        **describe_tools(model),
        "roles": {
            **{one.stored_name: list(one.roles) for one in records},
            **{_show_route(one): list(one.roles) for one in routes if not one.records_decide},
        },
        "permissions": {_show_route(one): _show_permission(one) for one in routes},
        "fields": {one.stored_name: _list_marks(one, model) for one in records},
        "calculated": {path: made_of for one in records for path, made_of in _list_calculated(one)},
        "rules": {str(one["name"]): one for one in model.rules},
        "profiles": {str(row["refName"]): row for one in model.import_profiles for row in one.rows},
        "settings": {name: {"value": value} for name, value in model.settings.items()},
        "predicates": {one.name: _describe_predicate(one, model.stored_names) for one in model.predicates},
    }
    # As JSON: what a release has stored knows no tuples.
    return Document(orjson.loads(orjson.dumps(value, default=str)), name)


def _show_route(endpoint: Endpoint) -> str:
    return f"{endpoint.method.upper()} {endpoint.path}"


def _show_permission(endpoint: Endpoint) -> str:
    if endpoint.records_decide:
        return "no permission of its own"
    return f"{endpoint.action} on {endpoint.area}/{endpoint.domain}"


def _list_marks(record: Record, model: Model) -> dict[str, list[str]]:
    structures = {str(one.name): one for one in model.structures}
    return {
        path: [word for word, is_set in (("immutable", one.immutable), ("track", one.track)) if is_set]
        for path, one, _type in walk_fields(record.fields, structures)
    }


def _list_calculated(record: Record) -> Iterator[tuple[str, str]]:
    yield f"{record.stored_name}.displayName", record.display or "{refName}"
    for one in record.fields:
        if one.calculated:
            yield f"{record.stored_name}.{one.name}", one.calculated


def _describe_predicate(one: Relationship, names: Mapping[str, str]) -> dict[str, object]:
    return {
        "domain": names.get(one.domain, one.domain),
        "range": names.get(one.range, one.range),
        "inverse": one.inverse,
        "transitive": one.transitive,
        "symmetric": one.symmetric,
        "subPropertyOf": one.sub_property_of,
        "chain": one.chain,
    }


def render_callers(callers: Document) -> str:
    """Render ``callers.json``, a newline at the end."""
    return json.dumps(callers.value, indent=1, ensure_ascii=False) + "\n"


def read_callers(text: bytes, name: str) -> Document:
    """Read ``callers.json``. Raises ``UnreadableDocumentError``."""
    try:
        return Document(orjson.loads(text), name)
    except orjson.JSONDecodeError as error:
        raise UnreadableDocumentError(f"{name} is not JSON: {error}") from None


def compare_callers(
    old: Document, new: Document, names: Mapping[str, str] = MappingProxyType({})
) -> list[Finding]:
    """Compare what callers may do with what they could.

    ``names``: former name → present name of record types.
    """
    found = [*_compare_roles(old, new), *_compare_permissions(old, new), *_compare_marks(old, new)]
    found += [*_compare_calculated(old, new), *_compare_words(old, new)]
    listed = [Finding(CHANGE_RULES[rule], at, message) for rule, at, message in found]
    return [*compare_tools(old, new, names), *listed]


def _pair_members(old: Document, new: Document, section: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield what both documents have in a section, by name; the names of path parameters do not matter."""
    before = {PLACEHOLDER.sub("{}", name): value for name, value in old.section(section).items()}
    for name, value in new.section(section).items():
        if (key := PLACEHOLDER.sub("{}", name)) in before:
            yield name, before[key], value


def _compare_roles(old: Document, new: Document) -> Iterator[Found]:
    for name, before, after in _pair_members(old, new, "roles"):
        was, is_now = _read_words(before), _read_words(after)
        yield from (("role-removed", name, f"{role} may no longer call it") for role in sorted(was - is_now))
        yield from (("role-added", name, f"{role} may call it now") for role in sorted(is_now - was))


def _read_words(value: Any) -> frozenset[str]:
    return frozenset(map(str, as_list(value)))


def _compare_permissions(old: Document, new: Document) -> Iterator[Found]:
    for name, before, after in _pair_members(old, new, "permissions"):
        if before != after:
            yield "permission-changed", name, f"it needed {before}, needs {after}"


def _compare_marks(old: Document, new: Document) -> Iterator[Found]:
    for record, before, after in _pair_members(old, new, "fields"):
        for path, marks in as_object(after).items():
            added = _read_words(marks) - _read_words(as_object(before).get(path, marks))
            if "immutable" in added:
                yield "data-field-immutable", f"{record}.{path}", "the value cannot be changed any more"
            if "track" in added:
                yield "data-reference-tracked", f"{record}.{path}", "the reference is tracked now"


def _compare_calculated(old: Document, new: Document) -> Iterator[Found]:
    for name, before, after in _pair_members(old, new, "calculated"):
        if before != after:
            yield "data-calculation-changed", name, f"it was made of {before}, is made of {after}"


def _compare_words(old: Document, new: Document) -> Iterator[Found]:
    """Compare what only says that it differs: what that does to callers depends on what is stored or set."""
    for section, (rule, rule_of_gone), what, does_new_matter in _WORDS:
        before, after = old.section(section), new.section(section)
        for name in before.keys() | after.keys():
            is_new, is_gone = name not in before, name not in after
            if is_new and not does_new_matter:
                continue
            if is_new or is_gone:
                found = rule_of_gone if is_gone else rule
                yield found, f"{what} {name}", f"the {what} is {'new' if is_new else 'gone'}"
            elif words := _list_differing(before[name], after[name]):
                verb = "differs" if len(words) == 1 else "differ"
                yield rule, f"{what} {name}", f"{', '.join(words)} {verb}"


def _list_differing(old: Any, new: Any) -> list[str]:
    before, after = as_object(old), as_object(new)
    words: Mapping[str, None] = dict.fromkeys([*before, *after])
    return [one for one in words if one != "description" and before.get(one) != after.get(one)]
