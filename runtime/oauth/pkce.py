"""Proof key for code exchange (RFC 7636) with S256, the one method: ``plain`` protects nobody. Pure."""

import hashlib
import hmac
import re
from typing import Final

from runtime.base64url import encode_base64url

WELL_FORMED: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""Verifiers and challenges (RFC 7636 §4)."""


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a verifier (RFC 7636 §4.2)."""
    return encode_base64url(hashlib.sha256(verifier.encode()).digest())


def check_verifier(challenge: str | None, verifier: str | None) -> bool:
    """Whether the verifier belongs to the challenge, or there is neither.

    A verifier without a challenge is wrong too: an attacker has taken the challenge away, so that a code
    works without the verifier that goes with it (RFC 9700 §4.8.2).
    """
    if challenge is None or verifier is None:
        return challenge is verifier
    if not WELL_FORMED.fullmatch(verifier):
        return False
    return hmac.compare_digest(challenge_of(verifier).encode(), challenge.encode())
