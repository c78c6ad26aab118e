"""Calculated fields, rebuilt on every write, whatever a client sent. Pure.

``calculated: "{code} {target.entityRefName}"`` is a template over the document; it may name other calculated
fields, which are calculated first. ``calculated: grossPrice`` is an expression of the application
(``Seams.expressions``); expressions are evaluated in the order of the fields, after the templates that do not
wait for one, and see what was calculated before them. A value is checked by the class of its field and stored
like one that was sent. Nothing to show (an empty template, None) leaves the field out.
"""

import inspect
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError, create_model
from pydantic_core import from_json

from runtime.errors import Misconfigured, ServiceError
from runtime.errors.raised import describe_raised
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import ValueKind
from runtime.model.nearest import hint
from runtime.model.paths import placeholders, top_of
from runtime.model.problems import Violation, findings_of, list_violations
from runtime.model.record import Strict, members
from runtime.model.record_type import RecordType
from runtime.records.document.template import fill_template
from runtime.seams import Expression, ExpressionFailed
from runtime.storage.codec import encode_document
from runtime.storage.wire import to_json, to_wire

Document = dict[str, Any]
Expressions = Mapping[str, Expression]


def calculate(kind: RecordType[Any], document: Document, expressions: Expressions) -> list[Violation]:
    """Set the calculated fields of a document about to be stored; return what is wrong with them.

    A field whose value does not fit is left out and reported. Raises ``ExpressionFailed``.
    """
    found: list[Violation] = []
    for name in kind.calculated:
        document.pop(name, None)
    for name in order_of(kind):
        if _is_any_text(kind, name):
            if text := fill_template(kind.calculated[name], document):
                document[name] = text
            continue
        try:
            value = _value(kind, name, document, expressions)
            if value is not None:
                document[name] = _convert_stored(kind, name, value)
        except ValidationError as error:
            found += list_violations(findings_of(error))
        except Unreadable as error:
            found.append({"path": name, "message": f"is calculated, and is not {error}"})
    return found


def require_expressions(kinds: Iterable[RecordType[Any]], expressions: Expressions) -> None:
    """Raise ``Misconfigured`` for an expression that the application does not supply, and for a circle."""
    for kind in kinds:
        order_of(kind)
        for field, made_by in kind.calculated.items():
            if not is_template(made_by) and made_by not in expressions:
                near = hint(made_by, expressions) or ": SERVICE_SEAMS=module:SEAMS names the application's"
                raise Misconfigured(f"{kind.shown_name}.{field}: Seams.expressions has no {made_by}{near}")


def is_template(made_by: str) -> bool:
    """Return whether a field is calculated by a template, else by an expression of this name."""
    return "{" in made_by


@lru_cache(maxsize=1024)
def order_of(kind: RecordType[Any]) -> tuple[str, ...]:
    """Return the calculated fields, each after the fields it names. Raises ``Misconfigured`` for a circle."""
    waiting = dict(kind.calculated)
    done: list[str] = []
    while waiting:
        ready = [name for name, made_by in waiting.items() if not _needs(made_by) & waiting.keys()]
        if not ready:
            raise Misconfigured(f"{kind.shown_name}: {', '.join(waiting)} are calculated from each other")
        chosen = next((name for name in ready if is_template(waiting[name])), ready[0])
        done.append(chosen)
        del waiting[chosen]
    return tuple(done)


def _needs(made_by: str) -> set[str]:
    return {top_of(path) for path in placeholders(made_by)} if is_template(made_by) else set()


def _value(kind: RecordType[Any], name: str, document: Document, expressions: Expressions) -> Any:
    made_by = kind.calculated[name]
    if not is_template(made_by):
        return _evaluate(kind, name, document, expressions[made_by])
    text = fill_template(made_by, document)
    return read_value(kind.fields[name], text) if text else None


def _evaluate(kind: RecordType[Any], name: str, document: Document, expression: Expression) -> Any:
    record = from_json(to_json(to_wire(document)))
    try:
        return expression(record)
    except (Unreadable, ValidationError):
        raise
    except ServiceError as error:
        error.__notes__ = [f"{_name_fault(kind, name, record)} it"]  # for commands: callers know the record
        raise
    except Exception as error:
        raise ExpressionFailed(
            f"{_name_fault(kind, name, record)} {describe_raised(error, _find_module(expression))}"
        ) from error


def _find_module(expression: Expression) -> str:
    """Return the module that defines an expression, behind its decorators; empty for an object."""
    code = getattr(inspect.unwrap(expression), "__code__", None)
    return "" if code is None else Path(code.co_filename).stem


def _name_fault(kind: RecordType[Any], name: str, record: Document) -> str:
    return (
        f"{kind.shown_name} {record['id']} ({record['refName']}): {name} cannot be calculated, "
        f"since the expression {kind.calculated[name]} raises"
    )


def _convert_stored(kind: RecordType[Any], name: str, value: Any) -> Any:
    """Check a value by the class of its field, then convert it like one that was sent."""
    holder, own = _holder(kind, name)
    if type(value) is str and kind.fields[name].kind is ValueKind.STRING:  # as on the wire already
        return getattr(holder.model_validate({name: value}), own)
    return encode_document(kind, holder.model_validate_json(to_json({name: value}))).get(name)


@lru_cache(maxsize=4096)
def _is_any_text(kind: RecordType[Any], name: str) -> bool:
    """Return whether there is nothing to check: a template for texts without a constraint."""
    holder, own = _holder(kind, name)
    info = holder.model_fields[own]
    return is_template(kind.calculated[name]) and info.annotation in (str, str | None) and not info.metadata


@lru_cache(maxsize=4096)
def _holder(kind: RecordType[Any], name: str) -> tuple[type[BaseModel], str]:
    """Return a class with this one field, and the name of the field in it."""
    python_name, info = members(kind.stored or kind.input)[name]
    definition: dict[str, Any] = {python_name: (info.annotation, info)}
    return create_model(f"{kind.name}_{name}", __base__=Strict, **definition), python_name
