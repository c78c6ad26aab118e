"""Lenient reading: types must be right, broken constraints are let through and may be reported later.

Two readers need it. A record type with ``validation: lenient`` stores what breaks its constraints, marked; a
client cannot ask for that. And a record that was read and changed lacks its hidden fields, which the store
keeps: they must not count as missing.

Of the fields that a record type declares, a lenient reading drops ``required``, lengths, ranges, patterns and
``uniqueItems``. What stays: names, types, enumerated values, the common fields, and the inside of references
and dynamic attributes.
"""

import types
from collections.abc import Callable, Iterable, Mapping, Set
from functools import lru_cache, reduce
from operator import getitem, or_
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, create_model
from pydantic_core import ErrorDetails, from_json, to_json

from runtime.errors import MissingReference, RequestError, ValidationFailed
from runtime.model.problems import Findings, Violation, findings_of, list_violations, refusal_of, wire_path
from runtime.model.record import (
    DynamicAttribute,
    EntityReference,
    IsObjectId,
    ObjectIdText,
    RecordInput,
    Strict,
)
from runtime.model.record_type import RecordType
from runtime.model.scalars import ExactDecimal, IsoText
from runtime.model.whole_numbers import read_json

M = TypeVar("M", bound=BaseModel)

_WHOLE = (EntityReference, DynamicAttribute)
_TYPES = (IsoText, ExactDecimal)
"""Marks that say what a value is, not which values are good."""


class _Unconstrained(RecordInput):
    """Base of the classes made here: input that remembers what is wrong with it."""

    _violations: list[Violation] = PrivateAttr(default_factory=list)
    _missing: list[Violation] = PrivateAttr(default_factory=list)


def read_input(
    kind: RecordType[Any],
    body: bytes,
    unseen: Set[str] = frozenset(),
    unnamed: Callable[[], Set[str]] = frozenset,
) -> RecordInput:
    """Read a JSON body as input of a record type.

    ``violations_in`` returns what a lenient type let through. ``unseen``: dotted paths that may be absent
    though required; ``missing_in`` returns those that were. ``unnamed``: members that an error must not
    suggest. Raises ``MalformedRequest``, ``UnknownMember`` or ``ValidationFailed``.
    """
    try:
        return read_json(kind.input, body)
    except ValidationError as error:
        found = findings_of(error, len(unseen))
        missing = [one for one in found if _is_unseen(one["type"], one["loc"], unseen)]
        findings = [one for one in found if one not in missing]
    if not kind.lenient and not all(_is_state(kind, one) for one in findings):
        raise _build_refusal(kind, body, findings, unnamed())
    try:
        lenient = read_json(_relax_input(kind.input, frozenset(kind.states)), body)
    except ValidationError:  # a type or a name is wrong, or it is no JSON
        raise _build_refusal(kind, body, findings, unnamed()) from None
    lenient._violations = list_violations([one for one in findings if not _is_state(kind, one)], kind.input)
    lenient._missing = list_violations(missing, kind.input)
    return lenient


def check_types(kind: RecordType[Any], part: Mapping[str, Any], unnamed: Set[str]) -> None:
    """Check the types of some members of a record, as on the wire.

    Nothing is missing, since the rest of an object may be stored. ``unnamed`` and what is raised are as in
    ``read_input``.
    """
    body = to_json(part, inf_nan_mode="constants")
    try:
        read_json(_relax_input(kind.input, frozenset(kind.states)), body)
    except ValidationError as error:
        findings = [one for one in findings_of(error) if one["type"] != "missing"]
        if findings:
            raise _build_refusal(kind, body, findings, unnamed) from None


def violations_in(body: BaseModel) -> list[Violation]:
    """Return what is wrong with checked input that was let through; nothing for strict types."""
    return list(body._violations) if isinstance(body, _Unconstrained) else []


def missing_in(body: BaseModel) -> list[Violation]:
    """Return the required fields that checked input lacks because its caller does not see them."""
    return list(body._missing) if isinstance(body, _Unconstrained) else []


def _is_state(kind: RecordType[Any], finding: ErrorDetails) -> bool:
    """Return whether a finding is about a state that the graph lacks.

    Where the record may go from its stored state is not known yet, so the graph refuses such a state later.
    """
    return finding["type"] == "literal_error" and finding["loc"][0] in kind.states


def _build_refusal(kind: RecordType[Any], body: bytes, findings: Findings, hidden: Set[str]) -> RequestError:
    """Combine the findings into one error; a tracked reference that is absent or null is a missing target."""
    refusal = refusal_of(kind.input, findings, hidden, kind.name_as_today)
    tracked = {reference.path for reference in kind.references if reference.track}
    if isinstance(refusal, ValidationFailed) and any(
        wire_path(one["loc"]) in tracked and _is_absent(one, body) for one in findings
    ):
        return MissingReference(refusal.message, **refusal.details)
    return refusal


def _is_absent(finding: ErrorDetails, body: bytes) -> bool:
    if finding["type"] != "model_type":
        return finding["type"] == "missing"
    return reduce(getitem, finding["loc"], from_json(body)) is None


def _is_unseen(what: str, location: Iterable[int | str], unseen: Set[str]) -> bool:
    return what == "missing" and ".".join(str(step) for step in location) in unseen


@lru_cache(maxsize=1024)
def _relax_input(model: type[RecordInput], states: frozenset[str]) -> type[_Unconstrained]:
    return _relax_model(model, _Unconstrained, frozenset(RecordInput.model_fields), states)


@lru_cache(maxsize=4096)
def _relax_object(model: type[BaseModel]) -> type[BaseModel]:
    return _relax_model(model, Strict, frozenset())


def _relax_model(
    model: type[BaseModel], base: type[M], inherited: frozenset[str], states: Set[str] = frozenset()
) -> type[M]:
    """Return the class with the same names and types, all optional, without constraints.

    ``states``: fields that accept any text.
    """
    fields: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        if name not in inherited:
            default = Field(None if info.is_required() else info.default)
            if info.default_factory is not None:
                default = Field(default_factory=info.default_factory)
            is_state = (info.alias or name) in states
            bare = str if is_state else _strip_constraints(info.annotation, tuple(info.metadata))
            fields[name] = (bare | None, default)
    made: type[M] = create_model(model.__name__, __base__=base, **fields)
    return made


def _strip_constraints(annotation: Any, marks: tuple[Any, ...] = ()) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _strip_constraints(arguments[0], (*marks, *arguments[1:]))
    if any(isinstance(mark, IsObjectId) for mark in marks):
        return ObjectIdText
    if origin in (Union, types.UnionType):
        bare: Any = reduce(or_, [_strip_constraints(one) for one in arguments])
    elif origin is list:
        bare = types.GenericAlias(list, (_strip_constraints(arguments[0]),))
    elif origin is dict:
        bare = types.GenericAlias(dict, (str, _strip_constraints(arguments[1])))
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        bare = annotation if issubclass(annotation, _WHOLE) else _relax_object(annotation)
    else:
        bare = annotation
    for mark in marks:
        if isinstance(mark, _TYPES):
            bare = Annotated[bare, mark]
    return bare
