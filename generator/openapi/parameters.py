"""The shared parameters of the standard operations, read from the classes of ``runtime.contract``."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pydantic import BaseModel

from generator.openapi.shared import Schema, members_of
from runtime.contract.changes import ChangesParameters, EventHeaders
from runtime.contract.csv import ExportParameters
from runtime.contract.headers import (
    AgentHeaders,
    CallerHeaders,
    PathParameters,
    ReadHeaders,
    WriteFlags,
    WriteHeaders,
)
from runtime.contract.history import HistoryParameters
from runtime.contract.imports import ImportParameters, ProfileParameters, RowsParameters
from runtime.contract.ontology import ConnectedParameters, EdgeParameters
from runtime.contract.pages import CountParameters, ListParameters, ReadParameters, ReferenceParameters
from runtime.contract.writes import SetParameters


class _Source(NamedTuple):
    """The parameters of one class. ``only``: some of them, None for all."""

    place: str
    model: type[BaseModel]
    only: tuple[str, ...] | None = None


_KEY = _Source("header", WriteHeaders, ("Idempotency-Key",))
_FLAGS = _Source("query", WriteFlags)
_SOURCES: Mapping[str, tuple[_Source, ...]] = {
    "ListQuery": (_Source("query", ListParameters),),
    "ConnectedQuery": (_Source("query", ConnectedParameters),),
    "EdgeQuery": (_Source("query", EdgeParameters),),
    "ReferenceQuery": (_Source("query", ReferenceParameters),),
    "ChangesQuery": (_Source("query", ChangesParameters),),
    "LastEventId": (_Source("header", EventHeaders),),
    "CountQuery": (_Source("query", CountParameters),),
    "SetQuery": (_Source("query", SetParameters),),
    "HistoryQuery": (_Source("query", HistoryParameters),),
    "RecordId": (_Source("path", PathParameters, ("id",)),),
    "RefName": (_Source("path", PathParameters, ("refName",)),),
    "SessionId": (_Source("path", PathParameters, ("sessionId",)),),
    "WriteTerms": (_Source("header", WriteHeaders), _FLAGS),
    "BulkTerms": (_FLAGS, _KEY),
    "KeyTerms": (_KEY,),
    "ExportQuery": (_Source("query", ExportParameters),),
    "ImportQuery": (_Source("query", ImportParameters),),
    "ProfileQuery": (_Source("query", ProfileParameters),),
    "ImportRowsQuery": (_Source("query", RowsParameters),),
    "Expand": (_Source("query", ReadParameters),),
    "IfNoneMatch": (_Source("header", ReadHeaders),),
}
_CALLER: Final = (_Source("header", CallerHeaders),)
_AGENT: Final = (_Source("header", AgentHeaders),)
_NAMES: Mapping[tuple[type[BaseModel], str], str] = {
    (SetParameters, "id"): "SetId",
    (WriteHeaders, "If-None-Match"): "UnlessMatch",
    (PathParameters, "id"): "RecordId",
    (HistoryParameters, "count"): "CountAll",
    (ImportParameters, "requestedColumns"): "ImportColumns",
    (ExportParameters, "filename"): "FileName",
    (RowsParameters, "intent"): "RowIntent",
}
"""Components that are not named like their parameter, most since another one has that name."""


def _name_components(sources: tuple[_Source, ...]) -> Iterator[tuple[str, Schema]]:
    for source in sources:
        properties, required = members_of(source.model)
        for name in source.only or properties:
            component = _name_component(source, name)
            yield component, _parameter(source.place, name, properties[name], name in required)


def _list_names(sources: tuple[_Source, ...]) -> tuple[str, ...]:
    """List the components without describing them, which takes longer than all else of a small edit."""
    return tuple(
        _name_component(source, name)
        for source in sources
        for name in source.only or (info.alias or word for word, info in source.model.model_fields.items())
    )


def _name_component(source: _Source, name: str) -> str:
    default = "".join(part[0].upper() + part[1:] for part in name.removeprefix("X-").split("-"))
    return _NAMES.get((source.model, name), default)


def _parameter(place: str, name: str, schema: Schema, is_required: bool) -> Schema:
    of_parameter = ("description", "example")
    own = {word: schema[word] for word in of_parameter if word in schema}
    needed = {"required": True} if is_required or place == "path" else {}
    rest = {word: value for word, value in schema.items() if word not in of_parameter}
    return {"name": name, "in": place, **needed, **own, "schema": rest}


def shared_parameters() -> dict[str, Schema]:
    """Build the shared parameters of ``components/parameters``."""
    return dict(one for sources in (_CALLER, _AGENT, *_SOURCES.values()) for one in _name_components(sources))


CALLER_PARAMETERS = _list_names(_CALLER)
"""The parameters of every operation that needs a token: who is calling, and where it acts."""

AGENT_PARAMETERS = _list_names(_AGENT)
"""The parameters of operations where the permissions on records decide."""

PARAMETERS_OF: Mapping[str, tuple[str, ...]] = {
    argument: _list_names(sources) for argument, sources in _SOURCES.items()
}
"""The type of an argument of a route → the parameters it reads."""


def parameter(name: str) -> Schema:
    """Return a reference to a shared parameter."""
    return {"$ref": f"#/components/parameters/{name}"}
