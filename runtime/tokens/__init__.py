"""Access, refresh and one-purpose tokens (decisions §4): the only place that signs or checks one."""

from runtime.tokens.claims import AccessClaims, PurposeClaims, RefreshClaims
from runtime.tokens.issue import Tokens
from runtime.tokens.keys import Keys

__all__ = ["AccessClaims", "Keys", "PurposeClaims", "RefreshClaims", "Tokens"]
