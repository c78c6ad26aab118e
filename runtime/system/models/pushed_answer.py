"""PushedAnswer, from runtime/system/specs/security/pushed_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class PushedAnswer(SnakeCase):
    """The name of a pushed request (RFC 9126)."""

    request_uri: Annotated[str, Field(description="Send it to /oauth/authorize, with client_id; good once.")]
    expires_in: Annotated[int, Field(description="Lifetime in seconds.")]
