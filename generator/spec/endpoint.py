"""``endpoints:`` hand-written routes."""

from typing import Any, Literal, TypeAlias, get_args

from pydantic import Field, field_validator

from generator.spec.field import FieldSpec
from generator.spec.strict import AreaName, RoleName, Spec, StructureName, needed, word

OAuthKind = Literal["form", "json", "page"]
Method: TypeAlias = Literal["get", "post", "put", "patch", "delete"]


class ParameterSpec(FieldSpec):
    """A field that travels in the query, the path or a header."""

    location: Literal["query", "path", "header"] | None = word(
        "query, path or header. Default: path when the path names it, else query.", alias="in"
    )


class EndpointSpec(Spec):
    """One route and the function that answers it."""

    id: str = needed("The operation id, such as security_login.")
    method: Method = needed("The HTTP method.")
    path: str | dict[str, str] = needed(
        "The path; {name} is a path parameter. Or several, by the suffix that each adds to the id: "
        "then the summary is completed with what the path names."
    )
    summary: str = needed("What it does, in one line.")
    description: str | None = word("More about it.")
    area: AreaName | None = word("Its functional area, where that is not the folder.")
    domain: str | None = word("Its functional domain. Default: the second segment of the path.")
    public: bool = word("No token is needed.", default=False)
    oauth: OAuthKind | None = word(
        "A route of OAuth. form: takes a form, json: takes JSON; errors are those of RFC 6749. page: "
        "answers with a page or a redirect; errors are pages, and the request of GET is its query."
    )
    roles: list[RoleName] = word("Roles that may call it. Default: any caller with a token.", default=[])
    action: str | None = word("VIEW, CREATE, UPDATE, DELETE … Default: from the method.")
    decides: Literal["records"] | None = word(
        "records: the permissions on the records that the handler reads and writes decide, and none of the "
        "endpoint itself: it admits every caller with a token and a tenant. The handler returns ``Json``."
    )
    idempotency_key: bool = word(
        "Takes the header Idempotency-Key: a request takes effect once, however often it is sent.",
        default=False,
        alias="idempotencyKey",
    )
    large_body: bool = word(
        "decides: records: the body may have megabytes, for callers that may write some records.",
        default=False,
        alias="largeBody",
    )
    streams: Literal["text/csv", "text/event-stream"] | None = word(
        "The handler returns a ``Stream`` of this media type instead of a response: text/csv with decides: "
        "records, text/event-stream for events without end, which ``events`` describes."
    )
    events: str | None = word("streams: text/event-stream: what the data of an event is, as a pattern.")
    parameters: dict[str, ParameterSpec] = word("Parameters by name.", default={})
    request: StructureName | None = word("The structure of the body.")
    response: StructureName | None = word("The structure of the answer.")
    answers: Literal["json", "list"] | None = word(
        "decides: records: json is any JSON object in place of a response, list a list of responses."
    )
    status: int | None = word("The status of success. Default: 200, without a response 204.")
    errors: list[int] = word("Statuses of failure that the document lists.", default=[])
    handler: str = needed('The function that answers: "package.module:function".')

    @field_validator("method", mode="before")
    @classmethod
    def _any_case(cls, value: Any) -> Any:
        """Take a method in any case; a value that is not one stays as it was written."""
        is_method = isinstance(value, str) and value.lower() in get_args(Method)
        return value.lower() if is_method else value


class EndpointsSpec(Spec):
    """The hand-written routes of an area."""

    endpoints: list[EndpointSpec] = Field(min_length=1, description="Hand-written routes.")
