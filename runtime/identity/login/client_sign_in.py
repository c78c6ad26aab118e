"""How OAuth clients sign in: by a secret, verified like a password, or by an assertion that their key signed.

A secret is verified by bcrypt in the queue of logins, and is an attempt of its client at its address there:
everybody may know the id of a client, and nobody can lock it out from elsewhere by failing in its name.
What was verified is remembered as an HMAC under a key of this process, next to the hash it belongs to: so a
client that often asks for tokens costs one hash in five minutes, and a replaced secret ends with its hash.

An assertion is verified at once, since that is quick, and cannot be guessed; only a failure is an attempt. So
nobody can lock a client with a key out by failing in its name.
"""

import hmac
import secrets
from collections.abc import Collection, Sequence
from itertools import product
from typing import Final

from runtime.bounded_cache import BoundedCache
from runtime.client import PRIVATE_KEY_JWT, Client
from runtime.errors import LoginFailed, Unauthenticated
from runtime.identity.credentials.credentials import login_failed
from runtime.identity.credentials.passwords import check_off_loop
from runtime.identity.login.providers import Providers
from runtime.identity.login.registrations import Registrations
from runtime.identity.login.throttle import client_key
from runtime.identity.users.user_events import Attempted, report_attempt
from runtime.settings import Settings
from runtime.standing import Standing
from runtime.tokens import Tokens, check_assertion_claims, check_assertion_signature

_NOT_PROVED = "the client is unknown or disabled, or none of its registered keys signed the assertion"
_MOST_SECRETS: Final = 2
"""One in force, and the one before."""

_REMEMBERED_SECONDS = 300
_MOST_REMEMBERED = 1000


class ClientSignIn:
    """The sign-in of clients in all realms; one per process."""

    def __init__(
        self, providers: Providers, tokens: Tokens, settings: Settings, registrations: Registrations
    ) -> None:
        self.count_registration = registrations.count
        self.count_stranger = registrations.count_stranger
        self.count_pushed = registrations.count_pushed
        self.forget_session = providers.own.live_sessions.forget
        self._registered = providers.own.clients
        self.find = self._registered.find
        self._spent = providers.own.spent_tokens
        self._providers = providers
        self._tokens = tokens
        self._cost = settings.bcrypt_cost
        self._key = secrets.token_bytes(32)
        self._verified: BoundedCache[tuple[str, str], tuple[float, bytes]] = BoundedCache(_MOST_REMEMBERED)

    async def find_remembered(self, realm: str, client_id: str, readings: Sequence[str]) -> Client | None:
        """Return the client whose secret was verified a short while ago, at the price of no hash."""
        client = await self.find(realm, client_id)
        is_known = client is not None and any(self._is_remembered(client, secret) for secret in readings)
        return client if is_known else None

    async def authenticate(self, realm: str, client_id: str, readings: Sequence[str], address: str) -> Client:
        """Return the client that the secret belongs to; ``readings`` are the ways to read what was sent.

        Raises the same ``LoginFailed`` for a wrong secret and for an unknown or disabled client, and
        ``Throttled`` after too many failures.
        """
        client = await self.find(realm, client_id)
        async with report_attempt("client", realm, address) as attempted:
            _name(attempted, client)
            async with self._providers.attempt(client_key(realm, client_id, address), address) as attempt:
                match = await self._find_match(client, readings)
                if client is None or match is None:
                    raise login_failed()
                attempt.has_succeeded = True
        secret, hashed = match
        hashed = await self._registered.renew_hash(client, secret, hashed, self._cost)
        self._verified.keep((client.record_id, hashed), (self._tokens.clock(), self._digest(secret)))
        return client

    async def authenticate_by_assertion(
        self, realm: str, client_id: str, assertion: str, audiences: Collection[str], address: str
    ) -> Client:
        """Return the client whose key signed the assertion, which is used up.

        Raises ``Throttled``, and the same ``LoginFailed`` for an unknown or disabled client, one that is not
        registered for this method, and a wrong signature; after a right one it says what is wrong.
        """
        async with report_attempt("client", realm, address) as attempted:
            client = await self.find(realm, client_id)
            _name(attempted, client)
            try:
                return await self._check_assertion(client, assertion, audiences)
            except LoginFailed:
                async with self._providers.attempt(client_key(realm, client_id, address), address):
                    raise

    async def mint_own_token(self, client: Client, audience: Sequence[str], scope: str = "") -> str | None:
        """Create an access token with the rights of the client's own credential; None if it has none."""
        if client.subject is None:
            return None
        standing = await self.find_standing(client.realm, client.subject)
        if standing is None:
            return None
        return self._tokens.mint_access(
            standing.identity,
            epoch=standing.epoch,
            client_id=client.client_id,
            audience=audience,
            scope=scope,
        )

    async def find_standing(self, realm: str, subject: str) -> Standing | None:
        """Return what the credential of a user says, as old as for any call; None unless it is usable."""
        return await self._providers.own.credentials.find_standing(realm, subject)

    async def _check_assertion(
        self, client: Client | None, assertion: str, audiences: Collection[str]
    ) -> Client:
        """Check and spend an assertion. Raises ``LoginFailed``."""
        if client is None or client.is_public or client.auth_method != PRIVATE_KEY_JWT:
            raise _assertion_failed(_NOT_PROVED)
        try:
            claims = check_assertion_signature(assertion, client.jwks)
        except Unauthenticated as error:
            raise _assertion_failed(_NOT_PROVED, error) from None
        try:
            checked = check_assertion_claims(claims, client.client_id, audiences, self._tokens.clock())
        except Unauthenticated as error:
            raise _assertion_failed(error.message, error) from None
        if not await self._spent.store_assertion(
            client.realm, client.client_id, checked.token_id, checked.expires_at
        ):
            raise _assertion_failed("the token was used before: sign a new one for each request")
        return client

    async def _find_match(self, client: Client | None, readings: Sequence[str]) -> tuple[str, str] | None:
        """Return the right secret and its hash.

        A wrong one takes as long for an unknown client as for one with a secret, or with two.
        """
        hashes = (*(client.secret_hashes if client else ()), *[None] * _MOST_SECRETS)[:_MOST_SECRETS]
        for hashed, secret in product(hashes, readings):
            if await check_off_loop(secret, hashed, self._cost) and hashed is not None:
                return secret, hashed
        return None

    def _is_remembered(self, client: Client, secret: str) -> bool:
        now, digest = self._tokens.clock(), self._digest(secret)
        known = [self._verified.use((client.record_id, hashed)) for hashed in client.secret_hashes]
        return any(
            hmac.compare_digest(one[1], digest) and 0 <= now - one[0] < _REMEMBERED_SECONDS
            for one in known
            if one is not None
        )

    def _digest(self, secret: str) -> bytes:
        return hmac.digest(self._key, secret.encode(errors="surrogatepass"), "sha256")


def _name(attempted: Attempted, client: Client | None) -> None:
    """Note whose attempt it is; not an id that is unknown, since it may be a secret."""
    attempted.subject = None if client is None else client.subject
    attempted.more = {"client": None if client is None else client.client_id}


def _assertion_failed(text: str, cause: Unauthenticated | None = None) -> LoginFailed:
    return LoginFailed(text, reason="badAssertion", message=text, cause=cause)
