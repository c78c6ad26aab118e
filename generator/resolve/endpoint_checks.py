"""What the words of a hand-written endpoint say together."""

import re
from collections.abc import Sequence
from http import HTTPStatus

from generator.model import Endpoint
from generator.resolve.context import Spot
from generator.spec import EndpointSpec
from runtime.contract.headers import AgentHeaders, CallerHeaders, WriteHeaders

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, 5.6.2
_NO_BODY = (204, 205, 304)
_STATUSES = frozenset(HTTPStatus)


def check_answers(spot: Spot, spec: EndpointSpec) -> None:
    """Check bodies, statuses and who may call."""
    if spec.oauth == "page":
        _check_page(spot, spec)
    elif spec.request and spec.method in ("get", "delete"):
        spot.report_key("SPEC073", f"{spec.method.upper()} has no body: use parameters", "request")
    if spec.response and spec.status in _NO_BODY:
        spot.report_key("SPEC073", f"status {spec.status} has no body: drop response or status", "response")
    if spec.public and spec.roles:
        spot.report_key("SPEC074", "a public endpoint asks for no role: drop one of the two", "roles")
    if spec.status is not None and not 200 <= spec.status < 300:
        spot.report("SPEC075", f"{spec.status} is not a success status (200 to 299)", "status")
    for position, status in enumerate(spec.errors):
        if not 400 <= status < 600:
            spot.report("SPEC075", f"{status} is not an error status (400 to 599)", "errors", position)
        elif status not in _STATUSES:
            message = f"{status} is not a status of HTTP: write a registered one, such as 404"
            spot.report("SPEC075", message, "errors", position)


def check_handlers_are_seen(endpoints: Sequence[tuple[Spot, Endpoint]]) -> None:
    """Check that no parameter and no function of a router hides the package in which a handler is."""
    packages = {(one.area, one.handler_module.partition(".")[0]) for _spot, one in endpoints}
    for spot, one in endpoints:
        package = one.handler_module.partition(".")[0]
        if not one.handler_function:
            continue  # which is reported
        if (one.area, one.function) in packages:
            message = f"the function {one.function} would hide the package of that name: choose another id"
            spot.report("SPEC072", message, "id")
        for parameter in one.parameters:
            if parameter.python_name == package:
                message = f'the parameter "{parameter.name}" would hide the package of the handler: rename it'
                spot.report_key("SPEC072", message, "parameters", parameter.name)


def check_deciding(spot: Spot, spec: EndpointSpec) -> None:
    """Check who decides, and what only endpoints may have whose records do."""
    if spec.decides:
        for word in ("public", "roles", "action", "domain", "oauth"):
            if getattr(spec, word):
                message = f"the records decide, so {word} would have no effect: drop one of the two"
                spot.report_key("SPEC077", message, word)
    is_file = spec.streams == "text/csv"
    for word, value in (("largeBody", spec.large_body), ("streams", is_file), ("answers", spec.answers)):
        if value and not spec.decides:
            spot.report_key("SPEC077", f"{word} needs decides: records", word)
    if spec.large_body and not spec.request:
        spot.report_key("SPEC073", "there is no request whose body could be large", "largeBody")
    if spec.streams and spec.response:
        spot.report_key("SPEC073", "a stream is the answer: drop response or streams", "response")
    if spec.answers and (spec.answers == "list") is not bool(spec.response):
        spot.report_key("SPEC073", "a list is of responses, JSON has none: see response", "answers")
    if spec.idempotency_key and (spec.method == "get" or spec.public):
        spot.report_key("SPEC077", "only writes of known callers take effect once", "idempotencyKey")


def check_headers(spot: Spot, spec: EndpointSpec) -> None:
    """Check that no parameter is a header that the service itself reads and describes."""
    known = {} if spec.public else dict(CallerHeaders.model_fields)
    if spec.decides:
        known |= AgentHeaders.model_fields
    if spec.idempotency_key:
        known["key"] = WriteHeaders.model_fields["idempotency_key"]
    taken = {str(one.alias).lower() for one in known.values()}
    for name, parameter in spec.parameters.items():
        if parameter.location == "header" and not _HEADER.fullmatch(name):
            message = f'"{name}" cannot be the name of a header: write letters, digits and dashes'
            spot.report_key("SPEC076", message, "parameters", name)
        elif parameter.location == "header" and name.lower() in taken:
            message = f"the service itself reads the header {name}: remove the parameter"
            spot.report_key("SPEC076", message, "parameters", name)


def check_streams(spot: Spot, spec: EndpointSpec) -> None:
    """Check that exactly the streams of events say what is in them, and that none is to be stored."""
    if bool(spec.events) is not (spec.streams == "text/event-stream"):
        message = "events are those of streams: text/event-stream, which needs them"
        spot.report_key("SPEC073", message, "events" if spec.events else "streams")
    if spec.streams and spec.idempotency_key and spec.method != "get":
        spot.report_key("SPEC077", "no stream is stored for a key: drop one of the two", "idempotencyKey")


def _check_page(spot: Spot, spec: EndpointSpec) -> None:
    if spec.method not in ("get", "post"):
        spot.report("SPEC073", f"a page is got or posted to, not sent by {spec.method.upper()}", "method")
    if spec.response:
        spot.report_key("SPEC073", "a page has no response: its handler returns the page", "response")
    if not spec.public:
        spot.report_key("SPEC074", "browsers send no token to a page: add public: true", "oauth")
    for name, one in spec.parameters.items():
        if one.location != "header" and spec.request and spec.method == "get":
            spot.report_key(
                "SPEC073", "the query of a page is its request: move this there", "parameters", name
            )
