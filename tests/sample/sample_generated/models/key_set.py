"""KeySet, from specs/system/key_set.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class KeySetKey(Strict):
    """Part of KeySet."""

    kty: str
    n: str
    e: str
    kid: Annotated[str, Field(description="Thumbprint of the key (RFC 7638).")]
    use: str
    alg: str


class KeySet(Strict):
    """The public keys that verify access tokens (RFC 7517)."""

    keys: list[KeySetKey]
