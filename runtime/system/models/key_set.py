"""KeySet, from runtime/system/specs/security/key_set.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class KeySetKey(Strict):
    """Part of KeySet."""

    kty: str
    n: str
    e: str
    kid: str
    use: str
    alg: str


class KeySet(Strict):
    """The public keys that verify access tokens (RFC 7517)."""

    keys: list[KeySetKey]
