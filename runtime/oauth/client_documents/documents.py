"""The clients behind client ids that are URLs, from documents that are fetched from hosts of a setting.

A document is fetched when a user signs in or a token is requested, and believed for as long as its host says,
an hour at most. Whether a token is still in force is decided without: its scopes and the host suffice.
Failures are not remembered.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import orjson
from pydantic import ValidationError

from runtime.bounded_cache import BoundedCache
from runtime.call import RealmSource
from runtime.client import Client
from runtime.errors import Overloaded
from runtime.identity.clients.stored_client import client_of
from runtime.logs import log
from runtime.oauth.client_documents.fetching import Fetched, Fetcher, NotFetched
from runtime.oauth.client_documents.urls import DocumentUrl, read_url
from runtime.oauth.client_metadata import WITHOUT_SECRET, read_metadata
from runtime.oauth.refusals import OAuthRefused
from runtime.system.documents import OauthClientDocument
from runtime.system.models.client_registration import ClientRegistration

MOST_SECONDS: Final = 3600
_USUAL_SECONDS = 300
_MOST_REMEMBERED = 1000
_MOST_AT_ONCE = 8
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age=\"?(\d{1,9})")
_SECRETS = ("client_secret", "client_secret_expires_at")


class ClientDocuments:
    """Those of one process. ``hosts``: from which documents are fetched; ``scopes``: those of the service."""

    def __init__(
        self,
        realms: RealmSource,
        hosts: Collection[str],
        scopes: Collection[str],
        clock: Callable[[], float],
        fetcher: Fetcher | None = None,
    ) -> None:
        self._realms = realms
        self._hosts = frozenset(hosts)
        self._scopes = scopes
        self._clock = clock
        self._fetcher = fetcher
        self._known: BoundedCache[str, tuple[float, OauthClientDocument]] = BoundedCache(_MOST_REMEMBERED)
        self._running: dict[str, asyncio.Task[OauthClientDocument | None]] = {}

    async def find(self, realm: str, client_id: str) -> Client | None:
        """Return the client that a document describes; None where there is none.

        Raises ``Overloaded`` while too many documents are fetched.
        """
        url = read_url(client_id, self._hosts)
        if url is None or await self._realms.find_database(realm) is None:
            return None
        known = self._known.use(client_id)
        document = known[1] if known and self._clock() < known[0] else await self._fetch_once(url)
        return None if document is None else client_of(document, realm, None)

    async def find_live(self, realm: str, client_id: str) -> Client | None:
        """Return what bounds the tokens of a client, without a fetch; None if its host is not listed."""
        url = read_url(client_id, self._hosts)
        if url is None or await self._realms.find_database(realm) is None:
            return None
        scopes = tuple(one for one in self._scopes if not one.startswith("security:"))
        return Client(record_id="", realm=realm, client_id=client_id, is_public=True, scopes=scopes)

    async def _fetch_once(self, url: DocumentUrl) -> OauthClientDocument | None:
        """Fetch a document; all that want it at the same time get what one of them fetched."""
        task = self._running.get(url)
        if task is None:
            if len(self._running) >= _MOST_AT_ONCE:
                raise Overloaded(
                    "too many documents of clients are fetched at this moment; try again shortly"
                )
            task = asyncio.create_task(self._fetch(url))
            self._running[url] = task
            task.add_done_callback(lambda _task: self._running.pop(url, None))
        return await asyncio.shield(task)

    async def _fetch(self, url: DocumentUrl) -> OauthClientDocument | None:
        self._fetcher = self._fetcher or Fetcher()
        try:
            fetched = await self._fetcher.fetch(url)
            document = read_document(url, fetched, self._scopes)
        except NotFetched as error:
            log.warning("client.document_refused", client=url, reason=str(error))
            return None
        if seconds := find_lifetime(fetched.headers):
            self._known.keep(url, (self._clock() + seconds, document))
        return document


def read_document(client_id: str, fetched: Fetched, scopes: Collection[str]) -> OauthClientDocument:
    """Return the client that a document describes. Raises ``NotFetched``."""
    media_type = fetched.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not re.fullmatch(r"application/[a-z0-9.-]+\+json", media_type):
        raise NotFetched("the document is not JSON: its media type must be application/json")
    try:
        stated: Any = orjson.loads(fetched.body)
        if not isinstance(stated, dict):
            raise NotFetched("the document is not a JSON object")
        _require_own(stated, client_id)
        members = {name: value for name, value in stated.items() if name in ClientRegistration.model_fields}
        members.pop("realm", None)
        members.setdefault("token_endpoint_auth_method", "none")
        metadata = ClientRegistration.model_validate(members)
        document = read_metadata(metadata, scopes, WITHOUT_SECRET)
    except (orjson.JSONDecodeError, ValidationError) as error:
        raise NotFetched(f"the document cannot be read: {type(error).__name__}") from None
    except OAuthRefused as refused:
        raise NotFetched(refused.description) from None
    return {**document, "clientId": client_id, "requirePkce": True, "selfRegistered": True}


def find_lifetime(headers: Mapping[str, str]) -> int:
    """Return for how many seconds a document may be believed (RFC 9111), an hour at most."""
    control = headers.get("cache-control", "").lower()
    if "no-store" in control or "no-cache" in control:
        return 0
    found, age = _MAX_AGE.search(control), headers.get("age", "0")
    passed = int(age) if age.isdecimal() and len(age) < 10 else 0
    seconds = int(found[1]) - passed if found else _USUAL_SECONDS
    return max(0, min(seconds, MOST_SECONDS))


def _require_own(stated: Mapping[str, Any], client_id: str) -> None:
    if stated.get("client_id") != client_id:
        raise NotFetched("client_id of the document is not its URL, exactly")
    if not stated.get("client_name") or not stated.get("redirect_uris"):
        raise NotFetched("the document needs client_name and redirect_uris")
    if any(name in stated for name in _SECRETS):
        raise NotFetched("the document has a secret, which everybody could read")
