"""``Tokens``: creates and verifies the three kinds of token.

Access tokens (``at+jwt``, RFC 9068) and refresh tokens (``rt+jwt``) are signed with the RSA key, so
that others can check them against the key set; one-purpose tokens (``purpose+jwt``) with the shared
secret. Kind, audience and algorithm are fixed by the function that checks, never by the token. Login
and OAuth use the same functions. Anything wrong is ``Unauthenticated(bad_token=True)``.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from runtime.bounded_cache import BoundedCache
from runtime.model.mappings import without_nones
from runtime.model.own_paths import MCP
from runtime.principal import Identity, domain_members
from runtime.settings import Settings
from runtime.system.answers import KeySetBody
from runtime.tokens import claims as read
from runtime.tokens.claims import AccessClaims, PurposeClaims, RefreshClaims
from runtime.tokens.compact import Claims, read_signed, refused, sign
from runtime.tokens.key_ring import KeyRing
from runtime.tokens.keys import Keys

_ACCESS = {"alg": "RS256", "typ": "at+jwt"}
_REFRESH = {"alg": "RS256", "typ": "rt+jwt"}
PURPOSE = {"alg": "HS256", "typ": "purpose+jwt"}

_REMEMBERED_TOKENS = 4096


class Tokens:
    """Issues and verifies tokens; one per process. All times are seconds since 1970, by ``clock``.

    Verified access tokens are remembered by their SHA-256, at most 4096 of them, so that the signature
    is checked once; time and audience are checked at every use. Other keys in force end the memory.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.issuer = settings.token_issuer
        self.audience = settings.base_url
        self.mcp_audience = self.audience.rstrip("/") + MCP
        self.refresh_audience = self.issuer.rstrip("/") + "/oauth/refresh"
        self.access_seconds = settings.access_token_seconds
        self.refresh_seconds = settings.refresh_token_seconds
        self.clock = clock
        self._settings = settings
        self._remembered: BoundedCache[bytes, AccessClaims] = BoundedCache(_REMEMBERED_TOKENS)
        self._remembered_by: Keys | None = None

    @cached_property
    def ring(self) -> KeyRing:
        """The keys that are set, or those of the data folder; read when they are first needed.

        In development those of the data folder are created then. Raises ``Misconfigured``.
        """
        return KeyRing(self._settings, self.clock)

    def key_set(self) -> KeySetBody:
        """Return the public keys that verify our access tokens (``/oauth/jwks``)."""
        return self.ring.keys.key_set()

    def mint_access(
        self,
        identity: Identity,
        *,
        epoch: int = 0,
        email: str | None = None,
        client_id: str | None = None,
        scope: str = "",
        audience: Sequence[str] = (),
        service_token: tuple[str, int] | None = None,
        session: str | None = None,
        seconds: int | None = None,
    ) -> str:
        """Create an access token; without ``audience`` for this service and its MCP door (RFC 8707).

        ``session``: the refresh family that it ends with; without one it is refused. ``seconds``: how long
        it is valid, where that is not the usual time. ``service_token``: id and seconds of one that lives
        longer and can be revoked by its record.
        """
        says = self._common(identity.subject, audience or (self.audience, self.mcp_audience))
        says |= {
            "exp": says["iat"] + (self.access_seconds if seconds is None else seconds),
            "upn": identity.user_id,
            "preferred_username": identity.user_id,
            "email": email,
            "groups": sorted(identity.roles),
            "scope": scope,
            "client_id": client_id,
            "realm": identity.realm,
            **domain_members(identity.domain),
            "tokenEpoch": epoch,
            "sid": session,
        }
        if service_token is not None:
            token_id, long = service_token
            says |= {"jti": token_id, "exp": says["iat"] + long, "serviceToken": True}
        return self._sign(says, _ACCESS)

    def verify_access(
        self, token: str, audience: str | None = None, *, is_late: bool = False
    ) -> AccessClaims:
        """Return the claims of an access token issued for ``audience`` (default: this service).

        ``is_late``: accept one whose own time has ended.
        """
        known = self.read_access(token, is_late=is_late)
        read.check_audience(known.audience, audience or self.audience)
        return known

    def read_access(self, token: str, *, is_late: bool = False) -> AccessClaims:
        """Return the claims of an access token, for whichever resource server it is: it opens no door."""
        digest = hashlib.sha256(token.encode(errors="replace")).digest()
        if self._remembered_by is not self.ring.keys:
            self._remembered_by = self.ring.keys
            self._remembered.clear()
        known = self._remembered.use(digest)
        if known is None:
            known = self._access_claims(token)
            self._remembered.keep(digest, known)
        if not is_late:
            read.check_time(known.not_before, known.expires_at, self.clock())
        return known

    def mint_refresh(
        self, subject: str, *, realm: str, family: str, token_id: str, epoch: int, ends_at: int
    ) -> str:
        """Create a refresh token: the link ``token_id`` of a ``family`` that ends at ``ends_at`` (epoch)."""
        says = self._common(subject, (self.refresh_audience,))
        says |= {
            "exp": min(says["iat"] + self.refresh_seconds, ends_at),
            "jti": token_id,
            "fam": family,
            "end": ends_at,
            "realm": realm,
            "tokenEpoch": epoch,
        }
        return self._sign(says, _REFRESH)

    def verify_refresh(self, token: str) -> RefreshClaims:
        """Return the claims of a refresh token. Whether it was used before, its family knows."""
        says = self._check_claims(token, _REFRESH, self.ring.find_public)
        read.check_time(says["nbf"], says["exp"], self.clock())
        read.check_audience(read.audience(says), self.refresh_audience)
        return RefreshClaims(
            subject=says["sub"],
            realm=read.text(says, "realm"),
            family=read.text(says, "fam"),
            epoch=read.whole(says, "tokenEpoch"),
            token_id=says["jti"],
            expires_at=says["exp"],
            ends_at=read.whole(says, "end"),
            issued_at=says["iat"],
        )

    def successor(self, token_id: str) -> str:
        """Derive the id of the next refresh token: the same for every worker, unpredictable for others."""
        return hmac.new(self.ring.keys.secret, b"refresh " + token_id.encode(), hashlib.sha256).hexdigest()

    def mint_purpose(
        self, purpose: str, subject: str, seconds: int, details: Mapping[str, str | int] | None = None
    ) -> str:
        """Create a short-lived token that is good for one purpose only, such as ``password-change``."""
        says = self._common(subject, (f"{self.issuer}#{purpose}",))
        says |= {"exp": says["iat"] + seconds, "details": dict(details or {})}
        return sign(says, PURPOSE, self.ring.keys.secret)

    def verify_purpose(self, purpose: str, token: str) -> PurposeClaims:
        """Return the claims of a token that is good for ``purpose``. Raises ``Unauthenticated``."""
        says = self._check_claims(
            token, PURPOSE, lambda header: None if "kid" in header else self.ring.keys.secret
        )
        read.check_time(says["nbf"], says["exp"], self.clock())
        read.check_audience(read.audience(says), f"{self.issuer}#{purpose}")
        details = says.get("details")
        if not isinstance(details, dict):
            raise refused("its claim details is missing or not an object")
        return PurposeClaims(says["sub"], details)

    def sign(self, purpose: str, data: bytes) -> bytes:
        """Sign ``data`` for one purpose: 32 bytes by which all workers recognise it as their own."""
        return hmac.digest(self.ring.keys.secret, purpose.encode() + b"\0" + data, "sha256")

    def _common(self, subject: str, audience: Sequence[str]) -> Claims:
        now = int(self.clock())
        return {
            "iss": self.issuer,
            "sub": subject,
            "aud": list(audience),
            "iat": now,
            "nbf": now,
            "jti": secrets.token_urlsafe(16),
        }

    def _sign(self, says: Claims, header: Mapping[str, str]) -> str:
        given = without_nones(says)
        keys = self.ring.keys
        return sign(given, {**header, "kid": keys.kid}, keys.private)

    def _check_claims(self, token: str, header: Mapping[str, str], key_for: Callable[..., Any]) -> Claims:
        says = read_signed(token, header, key_for)
        read.check_origin(says, self.issuer)
        return says

    def _access_claims(self, token: str) -> AccessClaims:
        says = self._check_claims(token, _ACCESS, self.ring.find_public)
        is_service = says.get("serviceToken", False)
        if not isinstance(is_service, bool):
            raise refused("its claim serviceToken is neither true nor false")
        return AccessClaims(
            subject=says["sub"],
            user_id=read.text(says, "upn"),
            realm=read.text(says, "realm"),
            roles=frozenset(read.texts(says, "groups")),
            audience=read.audience(says),
            scope="" if says.get("scope") == "" else read.text(says, "scope"),
            client_id=read.optional_text(says, "client_id"),
            email=read.optional_text(says, "email"),
            epoch=read.whole(says, "tokenEpoch"),
            token_id=says["jti"],
            issued_at=says["iat"],
            not_before=says["nbf"],
            expires_at=says["exp"],
            is_service=is_service,
            session=read.optional_text(says, "sid"),
        )
