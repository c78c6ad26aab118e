"""Signatures of notifications, as Standard Webhooks (standardwebhooks.com) has them.

What is signed is ``{id}.{timestamp}.{body}``, by HMAC-SHA256 with the bytes behind ``whsec_``. While a secret
is replaced there are two signatures, of which a receiver needs to know one.
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final

PREFIX: Final = "whsec_"
_KEY_BYTES: Final = 32


def create_secret() -> str:
    """Create a secret in the form in which receivers expect it."""
    return PREFIX + b64encode(secrets.token_bytes(_KEY_BYTES)).decode()


def sign(keys: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Return the header ``webhook-signature``: one signature for each of the secrets, blank-separated."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_sign_once(key, signed)}" for key in keys)


def _sign_once(key: str, signed: bytes) -> str:
    return b64encode(hmac.digest(b64decode(key.removeprefix(PREFIX)), signed, "sha256")).decode()
