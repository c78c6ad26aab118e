"""The checks of a stored ImportProfile: before it is saved, and again when a file is opened with it.

Its target exists, its columns fill fields that can be written, lookups name existing collections and fields,
resolvers are those of the application, patterns compile in RE2 and value mappings can match.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from functools import partial
from typing import Any, TypeAlias

from runtime.call import Call
from runtime.contract.imports import VerticalColumn
from runtime.errors import NotFound, RequestError, ValidationFailed
from runtime.model.catalog import Catalog
from runtime.model.date_format import NoDate, parse_date_format
from runtime.model.import_columns import (
    Modifier,
    find_blank_problem,
    find_element_problem,
    find_intent_problem,
    find_prefix_problem,
    find_reference_problem,
    find_separator_problem,
    find_unmapped_problem,
    split_name,
)
from runtime.model.nearest import hint
from runtime.model.paths import overlap
from runtime.model.problems import Violation
from runtime.model.record_type import RecordType
from runtime.system.documents import (
    ImportProfileColumnMappingDocument,
    ImportProfileColumnMappingTransformationDocument,
    ImportProfileDocument,
)
from runtime.transfer.profiles.lookup import Lookup, hidden_fields, kind_of
from runtime.transfer.profiles.profile_target import ColumnTarget, field_problem, key_problem, target_of
from runtime.transfer.profiles.replacement import replacement
from runtime.transfer.rows.dynamic import DEFAULT_PREFIX, JSON_COLUMN, Strategy

HiddenFields: TypeAlias = Callable[[RecordType[Any]], Set[str]]
"""The fields of a record type that are hidden from the caller."""


def hidden_by_type(kind: RecordType[Any]) -> Set[str]:
    """Return the fields that are hidden from every caller."""
    return kind.hidden


class ProfileCheck:
    """The check of the record type ``ImportProfile``."""

    def __init__(self, catalog: Catalog, resolvers: Collection[str]) -> None:
        self._catalog = catalog
        self._resolvers = frozenset(resolvers)

    async def __call__(self, call: Call, document: ImportProfileDocument, /) -> None:
        """Check a profile. Raises ``ValidationFailed`` with all that is wrong."""
        hidden_in = partial(hidden_fields, call)
        found = list(find_profile_problems(document, self._catalog, self._resolvers, hidden_in=hidden_in))
        if found:
            raise ValidationFailed(f"{found[0]['path']}: {found[0]['message']}", violations=found)


def find_profile_problems(
    profile: ImportProfileDocument,
    catalog: Catalog,
    resolvers: Collection[str],
    hidden: Set[str] = frozenset(),
    hidden_in: HiddenFields = hidden_by_type,
) -> Iterator[Violation]:
    """Return all that is wrong with a profile.

    ``hidden``: what rules take away from the importing caller; ``hidden_in``: the same for the record types
    of lookups.
    """
    try:
        kind = catalog[profile["targetType"]]
    except NotFound as error:
        yield _violation("targetType", error.message)
        return
    has_modifiers = bool(profile.get("headerModifiers"))
    if wrong := find_intent_problem(profile.get("intentColumn") or "", has_modifiers):
        yield _violation("intentColumn", wrong)
    yield from _find_repeated(profile, kind, has_modifiers)
    for at, mapping in enumerate(profile["columnMappings"]):
        path = f"columnMappings[{at}]"
        yield from _check_target(path, mapping, kind, hidden, has_modifiers)
        yield from _check_values(path, mapping)
        yield from _check_transformations(path, mapping.get("transformations") or {})
        if mapping.get("lookup"):
            yield from _check_lookup(f"{path}.lookup", Lookup.of(mapping["lookup"]), catalog, hidden_in)
    yield from find_missing_resolvers(profile["columnMappings"], resolvers)
    yield from _check_attributes(profile, kind, hidden)


def find_missing_resolvers(
    mappings: Iterable[ImportProfileColumnMappingDocument], resolvers: Collection[str]
) -> Iterator[Violation]:
    """Return which resolvers the columns of a profile name that the application does not supply."""
    for at, mapping in enumerate(mappings):
        name = mapping.get("rowValueResolverName")
        if name is not None and name not in resolvers:
            message = f"the application has no resolver {name}{hint(name, resolvers)}"
            yield _violation(f"columnMappings[{at}].rowValueResolverName", message)


def _find_repeated(
    profile: ImportProfileDocument, kind: RecordType[Any], has_modifiers: bool
) -> Iterator[Violation]:
    names, targets, keys = set[str](), list[str](), 0
    intent = profile.get("intentColumn")
    for at, mapping in enumerate(profile["columnMappings"]):
        name, modifier = split_name(mapping["sourceColumn"], has_modifiers)
        target, path = mapping["targetField"], f"columnMappings[{at}]"
        if not name or name in names or name == intent:
            why = (
                "is the intentColumn"
                if name and name == intent
                else "is mapped twice"
                if name
                else "is empty"
            )
            yield _violation(f"{path}.sourceColumn", f"{name} {why}".lstrip())
        names.add(name)
        filled = _field_filled(kind, target)
        for other in targets:
            if overlap(filled, other):
                yield _violation(f"{path}.targetField", f"{target} is filled by another column, with {other}")
        targets.append(filled)
        keys += modifier is Modifier.KEY
        if keys > 1 and modifier is Modifier.KEY:
            yield _violation(f"{path}.sourceColumn", f"{name} is marked as a second key: there is one")


def _field_filled(kind: RecordType[Any], target: str) -> str:
    """Return the field that a column fills: the whole list for the names of its elements."""
    try:
        return target_of(kind, target).path
    except RequestError:  # which _check_target reports
        return target


def _check_target(
    path: str,
    mapping: ImportProfileColumnMappingDocument,
    kind: RecordType[Any],
    hidden: Set[str],
    has_modifiers: bool,
) -> Iterator[Violation]:
    field = mapping["targetField"]
    _name, modifier = split_name(mapping["sourceColumn"], has_modifiers)
    try:
        target = target_of(kind, field, hidden, modifier)
    except RequestError as error:
        yield _violation(f"{path}.targetField", error.message)
        return
    if modifier is Modifier.KEY and (wrong := key_problem(kind, target)):
        yield _violation(f"{path}.sourceColumn", wrong)
    yield from _check_separator(path, mapping, target)
    element = target.element if mapping.get("listSeparator") else target.type
    is_named = target.member or mapping.get("lookup") or mapping.get("rowValueResolverName")
    if element is not None and element.is_reference and not is_named:
        yield _violation(f"{path}.targetField", find_reference_problem(field))


def _check_separator(
    path: str, mapping: ImportProfileColumnMappingDocument, target: ColumnTarget
) -> Iterator[Violation]:
    field = mapping["targetField"]
    if not mapping.get("listSeparator"):
        if target.member:
            message = find_element_problem(field, bool(mapping.get("rowValueResolverName")))
            yield _violation(f"{path}.targetField", message)
        return
    takes_elements = target.element is not None or target.attribute is not None
    if wrong := find_separator_problem(field, bool(mapping.get("rowValueResolverName")), takes_elements):
        yield _violation(f"{path}.listSeparator", wrong)


def _check_values(path: str, mapping: ImportProfileColumnMappingDocument) -> Iterator[Violation]:
    values = mapping.get("valueMappings") or {}
    if wrong := find_unmapped_problem(mapping.get("unmappedValueBehavior"), bool(values)):
        yield _violation(f"{path}.unmappedValueBehavior", wrong)
    if (mapping.get("transformations") or {}).get("trim"):
        for wrong in filter(None, map(find_blank_problem, values)):
            yield _violation(f"{path}.valueMappings", wrong)


def _check_transformations(
    path: str, asked: ImportProfileColumnMappingTransformationDocument
) -> Iterator[Violation]:
    regex, pattern = asked.get("regex"), asked.get("dateFormat")
    if regex is not None:
        try:
            replacement(regex["pattern"], regex.get("replacement"))
        except ValueError as error:
            yield _violation(f"{path}.transformations.regex.pattern", str(error))
    if pattern is not None:
        try:
            parse_date_format(pattern)
        except NoDate as error:
            yield _violation(f"{path}.transformations.dateFormat", str(error))


def _check_lookup(
    path: str, lookup: Lookup, catalog: Catalog, hidden_in: HiddenFields
) -> Iterator[Violation]:
    kind = kind_of(catalog, lookup.collection)
    if kind is None:
        near = hint(lookup.collection, [one.collection for one in catalog])
        message = f"no record type is stored in {lookup.collection}{near}"
        yield _violation(f"{path}.lookupCollection", message)
        return
    for member, name in (("lookupMatchField", lookup.match), ("lookupReturnField", lookup.returned)):
        if wrong := field_problem(kind, name, hidden_in(kind)):
            yield _violation(f"{path}.{member}", wrong)


def _check_attributes(
    profile: ImportProfileDocument, kind: RecordType[Any], hidden: Set[str]
) -> Iterator[Violation]:
    strategy = profile.get("dynamicAttributeStrategy")
    if strategy is None:
        return
    if JSON_COLUMN not in kind.fields or JSON_COLUMN in hidden:
        message = (
            f"{kind.shown_name} has no dynamic attributes: its specification says dynamicAttributes: true"
        )
        yield _violation("dynamicAttributeStrategy", message)
    prefix = profile.get("dynamicAttributePrefix") or DEFAULT_PREFIX
    if wrong := find_prefix_problem(prefix):
        yield _violation("dynamicAttributePrefix", wrong)
    if strategy == Strategy.VERTICAL and profile.get("intentColumn") in set(VerticalColumn):
        yield _violation("intentColumn", f"{profile['intentColumn']} has another meaning with {strategy}")


def _violation(path: str, message: str) -> Violation:
    return {"path": path, "message": message}
