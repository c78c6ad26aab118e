"""A route whose signature says everything and whose handler does little.

FastAPI reads the signature for the OpenAPI document; the handler here is compiled once from the same
signature: parse what the signature names, refuse the rest, call, send bytes. ``Json[X]`` in the return
annotation is the response model X, ``Stream`` is bytes as they are made.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints
from urllib.parse import quote

from fastapi import APIRouter, Request, Response, params
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.convertors import Convertor, register_url_convertor

from runtime.call import Call
from runtime.errors import InvalidParameter
from runtime.http.bodies import BodyReader
from runtime.http.calling import anonymous, calling, single_header
from runtime.http.letting_in import Length, let_in
from runtime.http.parameters import query_model, query_values
from runtime.http.repeating import answered
from runtime.http.streaming import in_a_line
from runtime.http.upload import uploaded
from runtime.record_type import RecordType
from runtime.stream import Stream
from runtime.wire import Json, to_json

M = TypeVar("M", bound=BaseModel)
Query = dict[str, str]
Reader = Callable[[Request, Query], Any]


class _Anything(Convertor[str]):
    """A path parameter that may hold slashes and line breaks, which arrive decoded."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


class _Session(_Anything):
    """An import session: any segment but the word that is a path of its own beside it, whose other methods
    are refused (405)."""

    regex = "(?!profile$)[^/]+"


register_url_convertor("anything", _Anything())
register_url_convertor("session", _Session())

_CONVERTED = {"{refName}": "{refName:anything}", "{sessionId}": "{sessionId:session}"}


class RecordRoute(APIRoute):
    """One route, with FastAPI's face and a lean inside."""

    area: str = ""
    records: RecordType[Any] | None = None

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        answer = get_type_hints(endpoint, include_extras=True)["return"]
        said = NoneType if answer is Stream else get_args(answer)[0]
        options["response_model"] = None if said is NoneType else said
        for name, converted in _CONVERTED.items():
            path = path.replace(name, converted)
        super().__init__(path, endpoint, **options)

    @cached_property
    def answer(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """From request to response; ``request.scope`` names this route and its path parameters."""
        handle = _handler(self.endpoint)
        return in_a_line(handle) if "csv" in self.path.split("/") else handle

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Read by FastAPI once a route."""
        return self.answer


class RecordRouter(APIRouter):
    """A router of such routes, all of one functional area; ``records``: the type whose standard operations
    they are, None for hand-written endpoints."""

    def __init__(self, *, area: str, records: RecordType[Any] | None = None, **options: Any) -> None:
        super().__init__(route_class=RecordRoute, **options)
        self.area = area
        self.records = records

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """As FastAPI's; the route also knows its area and record type."""
        super().add_api_route(path, endpoint, **options)
        route = self.routes[-1]
        if isinstance(route, RecordRoute):
            route.area, route.records = self.area, self.records


def answer(model: type[M], values: Any, status: int = 200) -> Json[M]:
    """What a hand-written handler returned, checked against the response class of its specification.

    A handler that returns ``Json`` also says headers; nothing else may be kept by caches.
    """
    said: Json[Any] = values if isinstance(values, Json) else Json(to_json(values))
    checked_answer = model.model_validate_json(said.body)
    return Json(
        checked_answer.model_dump_json(exclude_none=True).encode(),
        status,
        {"Cache-Control": "no-store", **said.headers},
    )


def nothing() -> Json[None]:
    """No content."""
    return Json(b"", 204)


def _handler(
    endpoint: Callable[..., Awaitable[Any]],
) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    callers: dict[str, Callable[[Request], Awaitable[Any]]] = {}
    readers: dict[str, Reader] = {}
    bodies: dict[str, BodyReader] = {}
    known: set[str] = set()
    for name, parameter in inspect.signature(endpoint, eval_str=True).parameters.items():
        base, mark = _mark(parameter.annotation)
        if isinstance(mark, params.Depends) and mark.dependency is not None:
            callers[name] = mark.dependency
            known.update(_queries(mark.dependency))
        elif mark is None or isinstance(mark, params.Body):
            bodies[name] = BodyReader(base, mark.media_type if mark else "application/json")
        else:
            readers[name] = _reader(name, base, mark, parameter.default, known)
    caller = next((name for name, call in callers.items() if call in (calling, anonymous)), "")
    length = _length(endpoint, callers.values())

    async def handle(request: Request) -> Response:
        arguments: dict[str, Any] = {name: await call(request) for name, call in callers.items()}
        query = query_values(request, known)
        for name, read in readers.items():
            arguments[name] = read(request, query)
        body = b""
        for name, reader in bodies.items():
            body = await reader.read(request)
            arguments[name] = await reader.check(request, body)
        call: Call | None = arguments.get(caller)
        return await let_in(call, length, lambda: answered(request, endpoint, arguments, body))

    return handle


def _queries(dependency: Callable[..., Any]) -> set[str]:
    """The query parameters that a dependency reads by itself."""
    marks = (
        _mark(one.annotation)[1] for one in inspect.signature(dependency, eval_str=True).parameters.values()
    )
    return {mark.alias for mark in marks if isinstance(mark, params.Query) and mark.alias}


def _mark(annotation: Any) -> tuple[Any, Any]:
    """The type, its own constraints kept, and FastAPI's mark in ``Annotated[…]``."""
    if get_origin(annotation) is not Annotated:
        return annotation, None
    base, *extras = get_args(annotation)
    marks = [extra for extra in extras if isinstance(extra, params.Param | params.Body | params.Depends)]
    rest = [extra for extra in extras if extra not in marks]
    return Annotated[base, *rest] if rest else base, marks[0] if marks else None


def _reader(name: str, base: Any, mark: Any, default: Any, known: set[str]) -> Reader:
    alias: str = mark.alias or name
    if isinstance(base, type) and issubclass(base, BaseModel):
        own = {info.alias or field for field, info in base.model_fields.items()}
        known.update(own)
        return lambda _request, query: query_model(
            base, {name: value for name, value in query.items() if name in own}
        )
    convert = _converter(alias, base, mark)
    match mark:
        case params.Path():
            return lambda request, _query: convert(request.path_params[alias])
        case params.Header():
            return lambda request, _query: _given(
                convert, single_header(request, alias.lower()), alias, default
            )
    known.add(alias)
    return lambda _request, query: _given(convert, query.get(alias), alias, default)


def _converter(alias: str, base: Any, mark: Any) -> Callable[[str], Any]:
    """Text → the declared type, constraints checked."""
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[base, *mark.metadata] if mark.metadata else base)

    def convert(text: str) -> Any:
        try:
            return adapter.validate_strings(text)
        except ValidationError as error:
            raise InvalidParameter(f"{alias}: {error.errors()[0]['msg']}", parameter=alias) from None

    return convert


def _given(convert: Callable[[str], Any], text: str | None, alias: str, default: Any) -> Any:
    if text is not None:
        return convert(text)
    if default is inspect.Parameter.empty:
        raise InvalidParameter(f"{alias} is missing", parameter=alias)
    return default


def _length(endpoint: Callable[..., Any], dependencies: Iterable[Callable[..., Any]]) -> Length:
    if uploaded in dependencies:
        return Length.UPLOAD
    is_stream = inspect.signature(endpoint, eval_str=True).return_annotation is Stream
    return Length.STREAM if is_stream else Length.SHORT
