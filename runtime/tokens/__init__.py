"""Access, refresh, ID and one-purpose tokens: the only place that signs or checks one."""

from runtime.tokens.claims import AccessClaims, RefreshClaims
from runtime.tokens.client_assertions import (
    check_assertion_claims,
    check_assertion_signature,
    read_claimed_client,
)
from runtime.tokens.id_token import IdTokenClaims, mint_id_token, read_id_token_hint, user_claims
from runtime.tokens.issue import Tokens
from runtime.tokens.keys import Keys, require_secret
from runtime.tokens.kinds import is_of_another_kind, read_grant_token
from runtime.tokens.public_keys import CLIENT_ALGORITHMS, find_key_faults
from runtime.tokens.rotation import KeyChangeRefused, KeyFacts, list_keys, remove_key, rotate_keys

__all__ = [
    "CLIENT_ALGORITHMS",
    "AccessClaims",
    "IdTokenClaims",
    "KeyChangeRefused",
    "KeyFacts",
    "Keys",
    "RefreshClaims",
    "Tokens",
    "check_assertion_claims",
    "check_assertion_signature",
    "find_key_faults",
    "is_of_another_kind",
    "list_keys",
    "mint_id_token",
    "read_claimed_client",
    "read_grant_token",
    "read_id_token_hint",
    "remove_key",
    "require_secret",
    "rotate_keys",
    "user_claims",
]
