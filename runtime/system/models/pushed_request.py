"""PushedRequest, from runtime/system/specs/security/pushed_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class PushedRequestFields(Strict):
    """The fields that are both sent and read."""

    client_id: str
    client_record: Annotated[
        str,
        Field(
            description="The id of the record of that client: a later one with the same client id is another."
        ),
    ]
    expires_at: Moment


class PushedRequestInput(PushedRequestFields, RecordInput):
    """An authorization request that a client sent ahead (RFC 9126). Its refName is the hash of the request URI (as sent)."""

    parameters: Annotated[Any, Field(description="The parameters of the authorization request.")]


class PushedRequest(PushedRequestFields, Record):
    """An authorization request that a client sent ahead (RFC 9126). Its refName is the hash of the request URI."""
