"""PushedRequest, from runtime/system/specs/security/pushed_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class PushedRequest(RecordInput):
    """An authorization request that a client sent ahead (RFC 9126). Its refName is the hash of the request URI."""

    client_id: str
    client_record: Annotated[
        str,
        Field(
            description="The id of the record of that client: a later one with the same client id is another."
        ),
    ]
    parameters: Annotated[Any, Field(description="The parameters of the authorization request.")]
    expires_at: Moment
