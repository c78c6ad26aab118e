"""Hand-written routes and their parameters."""

from __future__ import annotations

from dataclasses import dataclass

from generator.model.fields import Structure, Type
from generator.naming import PythonName
from generator.spec import OAuthKind


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a hand-written endpoint; ``location`` is query, path or header."""

    name: str
    python_name: PythonName
    type: Type
    required: bool
    description: str | None = None
    default: object = None  # None: no default
    location: str = "query"
    example: object = None  # None: no example


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A hand-written route. ``request`` and ``response`` name structures; ``None``: no body."""

    operation_id: str
    function: PythonName
    method: str  # lower case
    path: str
    area: str
    domain: str
    action: str
    summary: str
    handler_module: str
    handler_function: str
    source: str
    description: str | None = None
    public: bool = False  # no token needed
    oauth: OAuthKind | None = None  # what it takes, and how it answers errors
    roles: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    request: Structure | None = None
    response: Structure | None = None
    status: int = 200
    errors: tuple[int, ...] = ()
    records_decide: bool = False  # no permission of its own: those on records decide
    takes_key: bool = False
    large_body: bool = False
    streams: str | None = None  # the media type
    events: str | None = None  # the pattern of their data
    answers: str | None = None  # json or list
    is_system: bool = False

    @property
    def takes_form(self) -> bool:
        return self.oauth == "form" or (self.oauth == "page" and not self.takes_query)

    @property
    def takes_query(self) -> bool:
        return self.oauth == "page" and self.method == "get"
