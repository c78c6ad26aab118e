"""Finding the handlers of hand-written endpoints at the start, and not when the first request comes."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

from runtime.errors import Misconfigured
from runtime.errors.raised import describe_raised
from runtime.model.nearest import hint


@dataclass(frozen=True, slots=True)
class Handler:
    """The function ``package.module:function`` of an endpoint, which the file ``source`` specifies."""

    endpoint: str
    function: str
    source: str

    def __str__(self) -> str:
        return f"endpoint {self.endpoint} ({self.source}): handler {self.function}"


class HandlerFailed(Exception):
    """The module of a handler exists and cannot be imported; its author needs the traceback of the cause."""


def require_handlers(handlers: Iterable[Handler]) -> None:
    """Raise ``Misconfigured`` for a handler that does not exist, and ``HandlerFailed`` for one that fails."""
    for handler in handlers:
        _require(handler)


def _require(handler: Handler) -> None:
    module, _, name = handler.function.partition(":")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _report_failure(handler, error) from error
        raise Misconfigured(f"{handler}: the module {error.name} does not exist", cause=error) from None
    except (Exception, SystemExit) as error:
        raise _report_failure(handler, error) from error
    if not callable(getattr(found, name, None)):
        functions = [known for known, value in vars(found).items() if callable(value)]
        raise Misconfigured(f"{handler}: {module} has no function {name}{hint(name, functions)}")


def _report_failure(handler: Handler, error: BaseException) -> HandlerFailed:
    raised = describe_raised(error, handler.function.partition(":")[0].rpartition(".")[2])
    return HandlerFailed(f"{handler}: the module cannot be imported: {raised}")
