"""The context of ``routers/*.py``: one route is a decorator, a signature, a sentence and one call."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from generator.model import Endpoint, Kind, Parameter, Record, Structure
from generator.openapi import operation_id, phrases
from generator.operations import BY_KEY, EVENTS_ANSWER, FILE_ANSWER, StandardOperation
from generator.pydantic_models import Annotations
from generator.render.defaults import render_default
from generator.render.module import Imports, Module, call, code, docstring, headline, package_of
from generator.runtime_names import OPTIONAL_ARGUMENTS, RUNTIME

_HTTP = "runtime.http"
_MARKS = {"query": "Query", "path": "Path", "header": "Header"}
_OPENING = {"{input}", "{model}"}
_ERRORS = {"form": "oauth", "json": "oauth", "page": "page"}
_BUILT_IN = {"{model}", "list", "None"}


@dataclass(frozen=True, slots=True)
class Route:
    """One function. ``body`` are its lines behind the docstring."""

    decorator: str
    function: str
    arguments: str
    answer: str
    doc: str
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RouterModule(Module):
    """One module of ``routers/``."""

    router: str
    routes: list[Route]


def build_record_router(record: Record, package: str) -> RouterModule:
    """Build the router of a record's standard operations."""
    imports = Imports()
    router = call(
        imports.name(_HTTP, "RecordRouter"),
        area=code(record.area),
        prefix=code(record.path),
        records=record.constant,
        tags=code([record.name]),
    )
    imports.name(f"{package_of(record, package)}.record_types", record.constant)
    routes = [_record_route(record, row, imports, package) for row in record.operations]
    doc = headline(f"Routes of {record.name} at {record.path}", record.source)
    return RouterModule(doc, imports.lines, router, routes)


def build_endpoint_router(
    area: str, endpoints: Iterable[Endpoint], annotations: Annotations, package: str
) -> RouterModule:
    """Build the router of an area's hand-written endpoints."""
    # A path is found before one that has a parameter in its place.
    listed, imports = sorted(endpoints, key=lambda one: "{" in one.path), Imports()
    router = call(imports.name(_HTTP, "RecordRouter"), area=code(area), tags=code([area]))
    routes = [_endpoint_route(one, imports, annotations, package) for one in listed]
    sources = ", ".join(sorted({one.source for one in listed}))
    doc = headline(f"Hand-written endpoints of the area {area}", sources)
    return RouterModule(doc, imports.lines, router, routes)


def collect_parameters(annotations: Annotations, endpoints: Iterable[Endpoint]) -> None:
    """Collect the types that parameters need."""
    for endpoint in endpoints:
        for one in endpoint.parameters:
            annotations.collect(one.type, _may_be_none(one))


def _record_route(record: Record, row: StandardOperation, imports: Imports, package: str) -> Route:
    module = f"{package_of(record, package)}.models.{record.file_name}"
    names = {"model": record.name, "input": f"{record.name}Input"}
    arguments = [f"call: {imports.name(_HTTP, 'Calling')}"]
    for name, kind in row.arguments:
        written = (
            imports.name(module, kind.format(**names)) if kind in _OPENING else imports.name(_HTTP, kind)
        )
        arguments.append(f"{name}: {written}{' = None' if kind in OPTIONAL_ARGUMENTS else ''}")
    operation = code(operation_id(record, row))
    handed_on = ", ".join(["call", record.constant, *(name for name, _kind in row.arguments)])
    return Route(
        decorator=call(row.method, code(row.path), operation_id=operation, **_render_facts(row.key)),
        function=row.function,
        arguments=", ".join(arguments),
        answer=_record_answer(row.answer, names["model"], module, imports),
        doc=docstring(f"{row.summary.format(**phrases(record))}."),
        body=(f"return await {imports.name(RUNTIME, row.module)}.{row.function}({handed_on})",),
    )


@cache
def _render_facts(key: str) -> dict[str, str]:
    """Render what the decorator states of an operation for every record type."""
    return {name: code(value) for name, value in BY_KEY[key].facts.items()}


def _record_answer(answer: str, model: str, module: str, imports: Imports) -> str:
    """``Page[{model}]`` → ``Json[Page[Airport]]``, everything in it imported; ``Stream`` is itself."""
    if answer == FILE_ANSWER:
        return imports.name(_HTTP, FILE_ANSWER)
    if answer == EVENTS_ANSWER:
        return _events_answer(imports)
    for word in answer.rstrip("]").split("["):
        if word not in _BUILT_IN:
            imports.name(_HTTP, word)
    if "{model}" in answer:
        imports.name(module, model)
    return f"{imports.name(_HTTP, 'Json')}[{answer.format(model=model)}]"


def _events_answer(imports: Imports) -> str:
    """``Stream | Json[Any]``: events, a page of them, or nothing since they have ended."""
    return (
        f"{imports.name(_HTTP, FILE_ANSWER)} | {imports.name(_HTTP, 'Json')}[{imports.name('typing', 'Any')}]"
    )


def _endpoint_route(endpoint: Endpoint, imports: Imports, annotations: Annotations, package: str) -> Route:
    caller = imports.name(_HTTP, _caller(endpoint))
    needed = sorted(endpoint.parameters, key=lambda one: not _is_needed(one))
    written = [f"call: {caller}", *_body(endpoint, imports, package)]
    written += [f"terms: {imports.name(_HTTP, 'KeyTerms')}"] if endpoint.takes_key else []
    written += [_render_parameter(one, imports, annotations) for one in needed]
    return Route(
        decorator=call(
            endpoint.method,
            code(endpoint.path),
            operation_id=code(endpoint.operation_id),
            **_endpoint_facts(endpoint),
        ),
        function=endpoint.function,
        arguments=", ".join(written),
        answer=_endpoint_answer(endpoint, imports, package),
        doc=docstring(f"{endpoint.summary}."),
        body=tuple(_render_endpoint_body(endpoint, imports)),
    )


def _caller(endpoint: Endpoint) -> str:
    if endpoint.public:
        return "Anonymous"
    return "AgentCalling" if endpoint.records_decide else "Calling"


def _endpoint_facts(endpoint: Endpoint) -> dict[str, str]:
    facts = {
        "terms": endpoint.takes_key and "terms",
        "streams": endpoint.streams == "text/csv",
        "watches": endpoint.events is not None,
        "errors": endpoint.oauth is not None and _ERRORS[endpoint.oauth],
        "large_body": endpoint.large_body and ("CREATE", "UPDATE"),
    }
    return {name: code(value) for name, value in facts.items() if value}


def _endpoint_answer(endpoint: Endpoint, imports: Imports, package: str) -> str:
    if endpoint.events:
        return _events_answer(imports)
    if endpoint.streams:
        return imports.name(_HTTP, FILE_ANSWER)
    if endpoint.answers == "json":
        return f"{imports.name(_HTTP, 'Json')}[{imports.name('typing', 'Any')}]"
    model = _model(endpoint.response, imports, package)
    return f"{imports.name(_HTTP, 'Json')}[{f'list[{model}]' if endpoint.answers == 'list' else model}]"


def _body(endpoint: Endpoint, imports: Imports, package: str) -> list[str]:
    """Return ``body: LoginRequest``; a form is marked as one, a page gets its parameters unchecked."""
    if endpoint.request is None:
        return []
    model = _model(endpoint.request, imports, package)
    if endpoint.oauth == "page":
        model = f"{imports.name(_HTTP, 'Parameters')}[{model}]"
    elif not endpoint.takes_form:
        return [f"body: {model}"]
    mark = "Query" if endpoint.takes_query else "Form"
    return [f"body: {imports.name('typing', 'Annotated')}[{model}, {imports.name('fastapi', mark)}()]"]


def _render_endpoint_body(endpoint: Endpoint, imports: Imports) -> Iterable[str]:
    if not endpoint.public and not endpoint.records_decide:
        subject = {"area": endpoint.area, "domain": endpoint.domain, "action": endpoint.action}
        named = {word: code(name) for word, name in subject.items()}
        yield call(imports.name(_HTTP, "admit"), "call", _roles(endpoint), **named)
    handler = f"{imports.module(endpoint.handler_module)}.{endpoint.handler_function}"
    handed_on = [_render_call(endpoint, imports), *(["body"] if endpoint.request else [])]
    parameters = {str(one.python_name): _hand_on(one) for one in endpoint.parameters}
    asked = f"await {call(handler, *handed_on, **parameters)}"
    if endpoint.oauth == "page" or endpoint.records_decide or endpoint.streams:
        yield f"return {asked}"
        return
    if endpoint.response is None:
        yield asked
        status = None if endpoint.status == 204 else str(endpoint.status)
        yield f"return {call(imports.name(_HTTP, 'nothing'), status=status)}"
        return
    status = None if endpoint.status == 200 else str(endpoint.status)
    yield f"return {call(imports.name(_HTTP, 'answer'), endpoint.response.name, asked, status=status)}"


def _render_call(endpoint: Endpoint, imports: Imports) -> str:
    """Render the call that the handler gets: one of the service signs the key with its own answer."""
    if endpoint.is_system or not endpoint.takes_key:
        return "call"
    return call(imports.name(_HTTP, "share_key"), "call")


def _hand_on(one: Parameter) -> str:
    """Render what the handler gets: a copy of a list with a default, since all calls share the default."""
    is_shared = one.type.kind is Kind.LIST and one.default is not None
    return f"[*{one.python_name}]" if is_shared else str(one.python_name)


def _roles(endpoint: Endpoint) -> str:
    """Render the roles as a set; without roles only the rules decide."""
    return f"{{{', '.join(code(role) for role in sorted(endpoint.roles))}}}" if endpoint.roles else "()"


def _model(structure: Structure | None, imports: Imports, package: str) -> str:
    if structure is None:
        return "None"
    return imports.name(f"{package_of(structure, package)}.models.{structure.file_name}", structure.name)


def _is_needed(one: Parameter) -> bool:
    return one.required or one.location == "path"


def _may_be_none(one: Parameter) -> bool:
    return one.default is None and not _is_needed(one)


def _render_parameter(one: Parameter, imports: Imports, annotations: Annotations) -> str:
    """``skip: Annotated[int | None, Field(ge=0), Query(alias="skip")] = None``."""
    mark = call(imports.name("fastapi", _MARKS[one.location]), alias=code(one.name))
    found = annotations.marked(one.type, _may_be_none(one), mark)
    imports.names(found.imports)
    default = "None" if one.default is None else render_default(one.type, one.default, imports)
    return f"{one.python_name}: {found.text}{'' if _is_needed(one) else f' = {default}'}"
