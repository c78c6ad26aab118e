"""PushedRequest, from runtime/system/specs/security/pushed_request.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Moment, RecordInput


class PushedRequest(RecordInput):
    """An authorization request that a client sent ahead (RFC 9126). Its refName is the hash of the request URI."""

    client_id: str
    client_record: str
    parameters: Any
    expires_at: Moment
