"""KeySet, from runtime/system/specs/security/key_set.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class KeySetKey(Strict):
    """Part of KeySet."""

    kty: Annotated[str, Field(description="The key type.")]
    n: Annotated[str, Field(description="The modulus.")]
    e: Annotated[str, Field(description="The exponent.")]
    kid: Annotated[str, Field(description="Thumbprint of the key (RFC 7638).")]
    use: Annotated[str, Field(description="The intended use of the key.")]
    alg: Annotated[str, Field(description="The algorithm.")]


class KeySet(Strict):
    """The public keys that verify access tokens (RFC 7517)."""

    keys: Annotated[list[KeySetKey], Field(description="The keys in force.")]
