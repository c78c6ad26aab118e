"""Access, refresh and one-purpose tokens: the only place that signs or checks one."""

from runtime.tokens.claims import AccessClaims, PurposeClaims, RefreshClaims
from runtime.tokens.issue import Tokens
from runtime.tokens.key_ring import KeyRing
from runtime.tokens.keys import Keys
from runtime.tokens.rotation import KeyChangeRefused, KeyFacts, list_keys, remove_key, rotate_keys

__all__ = [
    "AccessClaims",
    "KeyChangeRefused",
    "KeyFacts",
    "KeyRing",
    "Keys",
    "PurposeClaims",
    "RefreshClaims",
    "Tokens",
    "list_keys",
    "remove_key",
    "rotate_keys",
]
