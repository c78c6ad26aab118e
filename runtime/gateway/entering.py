"""Before an operation of the gateway runs: whether records are embedded, and what is asked of which list."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from runtime.agents import find_tenant_rule
from runtime.call import Call
from runtime.errors import ExecutionDisabled, InvalidParameter
from runtime.model.mappings import without_nones
from runtime.model.problems import invalid_parameter

P = TypeVar("P", bound=BaseModel)

_COLUMNS: Final = "requestedColumns"


def build_parameters(model: type[P], named: Mapping[str, Any]) -> P:
    """Build the parameters of the route that an operation goes through; what is None is absent.

    A body may hold what is too long for that route: several fields of an order are one text there. Raises
    ``InvalidParameter``.
    """
    try:
        return model.model_validate(without_nones(named))
    except ValidationError as error:
        raise invalid_parameter(error) from None


@contextmanager
def naming_columns() -> Iterator[None]:
    """Name ``columns`` in what is refused about them: the parameter of the CSV routes has another name."""
    try:
        yield
    except InvalidParameter as error:
        if error.details.get("parameter") != _COLUMNS:
            raise
        message = error.message.replace(_COLUMNS, "columns", 1)
        raise InvalidParameter(message, **{**error.details, "parameter": "columns"}) from None


def cap_limit(call: Call, limit: int | None) -> int | None:
    """Return how many records a find or export may return at most: as requested, or what the realm allows."""
    most = find_tenant_rule(call.service.settings, call.realm).max_find_limit
    if most is None:
        return limit
    return min(limit or min(call.service.settings.page_size, most), most)


def require_execution(call: Call) -> None:
    """Raise ``ExecutionDisabled`` where the operator has not switched embedding on."""
    if not call.service.settings.gateway_executes:
        raise ExecutionDisabled(
            "the query is valid; executing expand(…) needs the setting feature.queryGateway.execution.enabled"
        )
