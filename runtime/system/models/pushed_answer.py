"""PushedAnswer, from runtime/system/specs/security/pushed_answer.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class PushedAnswer(SnakeCase):
    """The name of a pushed request (RFC 9126)."""

    request_uri: str
    expires_in: int
