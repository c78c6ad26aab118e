"""Hand-written endpoints as OpenAPI operations."""

from collections.abc import Callable, Mapping

from generator.model import Endpoint, Parameter
from generator.openapi.callbacks import describe_callbacks
from generator.openapi.csv_files import file_content
from generator.openapi.events import event_content
from generator.openapi.examples import Examples
from generator.openapi.fields import convert_to_wire
from generator.openapi.oauth import oauth_reference, page_answers, page_reference
from generator.openapi.operation_texts import endpoint_description
from generator.openapi.operations import request_body
from generator.openapi.parameters import AGENT_PARAMETERS, CALLER_PARAMETERS, PARAMETERS_OF, parameter
from generator.openapi.problems import TOO_MANY, headers, problem_reference
from generator.openapi.protection import is_token
from generator.openapi.shared import Schema, View
from generator.spec import OAuthKind
from runtime.contract.forms import FORM

_ALWAYS = (400, 503)
_WITH_TOKEN = (401, 403, TOO_MANY)
_WITH_BODY = (413, 415, 422)
_WITH_FORM = (413, 415)
_FAILURES: Mapping[OAuthKind | None, Callable[[int], Schema]] = {
    None: problem_reference,
    "form": oauth_reference,
    "json": oauth_reference,
    "page": page_reference,
}


def endpoint_operation(endpoint: Endpoint, examples: Examples) -> Schema:
    """Describe one endpoint."""
    schemas = examples.schemas
    operation: Schema = {
        "operationId": endpoint.operation_id,
        "summary": endpoint.summary,
        "description": endpoint_description(endpoint),
        "tags": [endpoint.area],
    }
    caller = () if endpoint.public else CALLER_PARAMETERS
    agent = AGENT_PARAMETERS if endpoint.records_decide else ()
    of_caller = [parameter(name) for name in (*agent, *caller)]
    own = [_parameter(one, examples) for one in endpoint.parameters if not is_token(one)]
    terms = [parameter(name) for name in PARAMETERS_OF["KeyTerms"]] if endpoint.takes_key else []
    operation["parameters"] = [*_query(endpoint, examples), *own, *terms, *of_caller]
    if endpoint.request and not endpoint.takes_query:
        example = examples.structure(endpoint.request, View.SENT)
        media_type = FORM if endpoint.takes_form else "application/json"
        schema = schemas.reference_to(endpoint.request, View.SENT)
        body = request_body(schema, example, media_type)
        operation["requestBody"] = body | {"required": _needs_body(endpoint)}
    failure = _FAILURES[endpoint.oauth]
    failures = {str(status): failure(status) for status in endpoint_errors(endpoint)}
    if endpoint.oauth == "page":
        answers = page_answers(endpoint.summary)
    else:
        answers = {str(endpoint.status): _answer(endpoint, examples)}
    if endpoint.events:
        answers["204"] = {"description": "The events have ended: do not connect again.", "headers": headers()}
    operation["responses"] = dict(sorted({**answers, **failures}.items()))
    return operation | describe_callbacks(endpoint)


def _needs_body(endpoint: Endpoint) -> bool:
    """Return whether a body must be sent: it may be left out where no member is required.

    A registration by OAuth must say something, though no single member is required.
    """
    fields = endpoint.request.fields if endpoint.request else ()
    is_registration = bool(endpoint.oauth) and not endpoint.takes_form
    return is_registration or any(field.required for field in fields)


def endpoint_errors(endpoint: Endpoint) -> set[int]:
    """Return the error statuses: the common ones of all routes, and those the endpoint names."""
    token = () if endpoint.public else _WITH_TOKEN
    has_body = endpoint.request is not None and not endpoint.takes_query
    body = () if not has_body else _WITH_FORM if endpoint.oauth else _WITH_BODY
    return {*_ALWAYS, *token, *body, *endpoint.errors}


def _query(endpoint: Endpoint, examples: Examples) -> list[Schema]:
    """Describe the members of a request that is a query as parameters."""
    if endpoint.request is None or not endpoint.takes_query:
        return []
    return [
        _parameter(
            Parameter(
                one.name, one.python_name, one.type, one.required, one.description, example=one.example
            ),
            examples,
        )
        for one in endpoint.request.fields
    ]


def _parameter(one: Parameter, examples: Examples) -> Schema:
    described = {"description": one.description} if one.description else {}
    shown = {} if one.example is None else {"example": convert_to_wire(one.type, one.example)}
    required = {"required": True} if one.required or one.location == "path" else {}
    default = {} if one.default is None else {"default": convert_to_wire(one.type, one.default)}
    schema = {**examples.schemas.type(one.type, View.READ), **default}
    return {"name": one.name, "in": one.location, **required, **described, **shown, "schema": schema}


def _answer(endpoint: Endpoint, examples: Examples) -> Schema:
    if endpoint.events:
        return {
            "description": endpoint.summary,
            "headers": headers(),
            "content": event_content({"type": "string", "pattern": endpoint.events}),
        }
    if endpoint.streams:
        own = headers("Content-Disposition")
        return {"description": endpoint.summary, "headers": own, "content": file_content(endpoint.streams)}
    answer: Schema = {"description": endpoint.summary, "headers": headers(*_list_headers(endpoint))}
    if endpoint.answers == "json":
        schema = {"type": "object", "additionalProperties": True}
        return answer | {"content": {"application/json": {"schema": schema, "example": {}}}}
    if endpoint.response is None:
        return answer
    example = examples.structure(endpoint.response, View.READ)
    shown = {} if example is None else {"example": example}
    schema = examples.schemas.reference_to(endpoint.response, View.READ)
    if endpoint.answers == "list":
        schema = {"type": "array", "items": schema}
        shown = {} if example is None else {"example": [example]}
    return answer | {"content": {"application/json": {"schema": schema, **shown}}}


def _list_headers(endpoint: Endpoint) -> list[str]:
    """List the headers that report how a write was handled; a tool, which answers any JSON, may send each."""
    location = ["Location"] if endpoint.status == 201 and endpoint.is_system and not endpoint.oauth else []
    if not endpoint.takes_key:
        return location
    members = () if endpoint.request is None else [one.name for one in endpoint.request.fields]
    dry_run = ["Dry-Run"] if "dryRun" in members or endpoint.answers == "json" else []
    return [*location, *dry_run, "Idempotency-Replayed"]
