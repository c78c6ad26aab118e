"""Finding the ``Seams`` value of an application."""

from importlib import import_module
from typing import Any

from runtime.errors import Misconfigured
from runtime.errors.raised import describe_raised
from runtime.seams import Seams


def load_seams(named: str | None) -> Seams:
    """Load the value that the setting ``service.seams`` names, if any. Raises ``Misconfigured``."""
    if named is None:
        return Seams()
    module, _, name = named.partition(":")
    if not name:
        raise Misconfigured(f"service.seams {named} names no value: write {_suggest(module)}")
    try:
        found: Any = getattr(import_module(module), name)
    except (Exception, SystemExit) as error:
        raised = describe_raised(error, module.rpartition(".")[2])
        raise Misconfigured(f"service.seams {named} cannot be imported: {raised}", cause=error) from None
    if not isinstance(found, Seams):
        raise Misconfigured(f"service.seams {named} is not a Seams value")
    return found


def _suggest(module: str) -> str:
    package, _, name = module.rpartition(".")
    return f"{package}:{name}" if package and name.isupper() else f"{module}:SEAMS"
