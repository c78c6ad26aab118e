"""A tool: an operation that agents and programs use by its name, with typed arguments."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.model.record import Strict

DEPTH: Final = "recordsmith/depth"
"""The member of ``_meta`` in which a call of a tool says how many services passed it on."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a program may expect of a tool before it uses it.

    ``destructive``: what was there may be gone afterwards. ``idempotent``: twice is as once. ``open_world``:
    something outside of this service is reached.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool, as generated from a specification; it knows nothing of the doors it is used through.

    ``body`` is the class of its arguments, ``arguments`` and ``answer`` are JSON Schemas; ``answer`` is None
    where the endpoint that it calls describes none. ``run`` takes the call and a ``body``. ``has_realm``:
    the argument ``realm`` names the realm to act in. ``is_one_page``: it returns the first page of records,
    and no argument asks for the next.
    """

    name: str
    area: str
    description: str
    body: type[Strict]
    run: Callable[[Any, Any], Awaitable[Any]]
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any] | None = None
    hints: Hints = field(default_factory=Hints)
    has_realm: bool = False
    is_one_page: bool = False
