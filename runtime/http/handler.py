"""Handlers, compiled once from the signatures of functions and the facts of their routes.

A handler parses what the signature names, refuses the rest, calls the function and sends its bytes.
"""

import inspect
from collections.abc import Awaitable, Callable
from functools import lru_cache, partial
from typing import Annotated, Any, get_args, get_origin

from fastapi import Request, Response, params
from pydantic import BaseModel, ValidationError

from runtime.call import Call
from runtime.contract.forms import Parameters
from runtime.errors import InvalidParameter, NotFound
from runtime.http.bodies import BodyReader
from runtime.http.calling import open_agent_call, open_public_call, open_request_call, single_header
from runtime.http.facts import Facts, Function, Handler
from runtime.http.forms import FormReader, PageReader
from runtime.http.letting_in import length_of, let_in
from runtime.http.parameter_texts import compile_reader, is_list
from runtime.http.parameters import query_model, query_values
from runtime.http.repeating import Arguments, run_endpoint
from runtime.model.record_type import RecordType
from runtime.model.scalars import IsObjectId

Query = dict[str, Any]
_CALLERS = (open_request_call, open_agent_call, open_public_call)
Bodies = BodyReader | FormReader | PageReader[Any]
Reader = Callable[[Request, Query], Any]


def compile_handler(function: Function, records: RecordType[Any] | None, facts: Facts) -> Handler:
    """Compile a function into its handler: from request to response.

    ``records``: the type whose standard operation it is.
    """
    callers: dict[str, Callable[[Request], Awaitable[Any]]] = {}
    readers: dict[str, Reader] = {}
    bodies: dict[str, Bodies] = {}
    reads_query = False
    known: dict[str, bool] = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        base, mark = _mark(parameter.annotation)
        if isinstance(mark, params.Depends) and mark.dependency is not None:
            callers[name] = mark.dependency
            known |= dict.fromkeys(_queries(mark.dependency), False)
        elif get_origin(base) is Parameters:
            reads_query = isinstance(mark, params.Query)
            bodies[name] = PageReader(get_args(base)[0], has_body=not reads_query)
        elif mark is None or isinstance(mark, params.Body):
            bodies[name] = _body_reader(base, mark, records, facts)
        else:
            readers[name] = _build_reader(name, base, mark, parameter.default, known)
    caller = next((name for name, call in callers.items() if call in _CALLERS), "")
    named = Arguments(caller, facts.get("terms"), facts.get("upload"), _list_headers(function))
    run = partial(run_endpoint, function, named)
    length = length_of(facts)

    async def handle(request: Request) -> Response:
        arguments: dict[str, Any] = {name: await call(request) for name, call in callers.items()}
        query = {} if reads_query else query_values(request, known)
        for name, read in readers.items():
            arguments[name] = read(request, query)
        body = b""
        for name, reader in bodies.items():
            body = await reader.read(request)
            arguments[name] = await reader.check(request, body)
        call: Call | None = arguments.get(caller)
        return await let_in(call, length, lambda: run(request, arguments, body))

    return handle


def _list_headers(function: Function) -> tuple[str, ...]:
    """List the headers that a function takes as parameters of its own."""
    found = inspect.signature(function, eval_str=True).parameters
    marks = ((name, _mark(one.annotation)[1]) for name, one in found.items())
    return tuple(mark.alias or name for name, mark in marks if isinstance(mark, params.Header))


def _body_reader(
    model: type[BaseModel], mark: params.Body | None, records: RecordType[Any] | None, facts: Facts
) -> Bodies:
    if isinstance(mark, params.Form):
        return FormReader(model)
    return BodyReader(model, mark.media_type if mark else "application/json", records, facts)


@lru_cache(maxsize=32)
def _queries(dependency: Callable[..., Any]) -> frozenset[str]:
    """Return the query parameters that a dependency reads by itself."""
    marks = (
        _mark(one.annotation)[1] for one in inspect.signature(dependency, eval_str=True).parameters.values()
    )
    return frozenset(mark.alias for mark in marks if isinstance(mark, params.Query) and mark.alias)


def _mark(annotation: Any) -> tuple[Any, Any]:
    """Split ``Annotated[…]`` into the type, with its own constraints, and FastAPI's mark."""
    if get_origin(annotation) is not Annotated:
        return annotation, None
    base, *extras = get_args(annotation)
    marks = [extra for extra in extras if isinstance(extra, params.Param | params.Body | params.Depends)]
    rest = [extra for extra in extras if extra not in marks]
    return Annotated[base, *rest] if rest else base, marks[0] if marks else None


def _build_reader(name: str, base: Any, mark: Any, default: Any, known: dict[str, bool]) -> Reader:
    alias: str = mark.alias or name
    if isinstance(base, type) and issubclass(base, BaseModel):
        own = {info.alias or field for field, info in base.model_fields.items()}
        known |= dict.fromkeys(own, False)
        return lambda _request, query: query_model(
            base, {name: value for name, value in query.items() if name in own}
        )
    convert = _converter(alias, base, mark)
    match mark:
        case params.Path():
            return lambda request, _query: convert(request.path_params[alias])
        case params.Header():
            return lambda request, _query: _read_given(
                convert, single_header(request, alias.lower()), alias, default
            )
    known[alias] = is_list(base)
    return lambda _request, query: _read_given(convert, query.get(alias), alias, default)


def _converter(alias: str, base: Any, mark: Any) -> Callable[[Any], Any]:
    """Return what converts text to the declared type; a malformed id in a path is not found."""
    read = compile_reader(Annotated[base, *mark.metadata] if mark.metadata else base)
    is_id = any(isinstance(one, IsObjectId) for one in get_args(base))

    def convert(text: Any) -> Any:
        try:
            return read(text)
        except ValidationError as error:
            if is_id and isinstance(mark, params.Path):
                raise NotFound(f"nothing has the id {text[:80]}") from None
            raise InvalidParameter(f"{alias}: {error.errors()[0]['msg']}", parameter=alias) from None

    return convert


def _read_given(convert: Callable[[Any], Any], text: Any, alias: str, default: Any) -> Any:
    if text is not None:
        return convert(text)
    if default is inspect.Parameter.empty:
        raise InvalidParameter(f"{alias} is missing", parameter=alias)
    return default
