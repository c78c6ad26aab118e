"""Clients described by a document at their client id: which are fetched, from where, and what is believed."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpcore2
import pytest
from cryptography import x509
from pymongo import MongoClient

from runtime.errors import Misconfigured, Overloaded
from runtime.oauth.client_documents import ClientDocuments, Fetcher
from runtime.oauth.client_documents.documents import MOST_SECONDS, find_lifetime, read_document
from runtime.oauth.client_documents.fetching import MOST_BYTES, Fetched, NotFetched
from runtime.oauth.client_documents.urls import read_url
from runtime.permissions.token_scopes import known_scopes
from runtime.settings import Settings
from tests.http.world import Document, open_world
from tests.lane.secured import certificate
from tests.oauth.applications import send
from tests.oauth.sign_ins import sign_in

HOST = "app.example"
PUBLIC = "93.184.216.34"
URL = f"https://{HOST}/client.json"
SCOPES = known_scopes(["logistics", "security"])
DOCUMENT: dict[str, Any] = {
    "client_id": URL,
    "client_name": "Field notes",
    "redirect_uris": ["https://app.example/callback", "http://127.0.0.1/callback"],
}
JSON = {"Content-Type": "application/json"}


@dataclass
class Host:
    """A web server by https. ``answer``: what it does next; ``seen``: the requests."""

    port: int = 0
    trust: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    answer: Callable[[BaseHTTPRequestHandler], None] = lambda _handler: None

    def say(
        self, body: Any = None, status: int = 200, headers: dict[str, str] | None = None, wait: float = 0
    ) -> None:
        """Answer every request so, from now on."""
        text = body if isinstance(body, bytes) else json.dumps(DOCUMENT if body is None else body).encode()
        self.seen.clear()

        def answer(handler: BaseHTTPRequestHandler) -> None:
            time.sleep(wait)
            handler.send_response(status)
            for name, value in {**JSON, **(headers or {})}.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text)

        self.answer = answer


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    found = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.seen.append((self.path, dict(self.headers)))
            found.answer(self)

        def log_message(self, *_arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_arguments: Any) -> None:
            """A client that hangs up is what some tests are about."""

    file = certificate(folder, x509.DNSName(HOST))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with Server(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        found.port = server.server_address[1]
        found.trust = ssl.create_default_context(cafile=str(file))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield found
        server.shutdown()
        thread.join()


class Wire(httpcore2.AnyIOBackend):
    """Leads the public address to the host of the tests, and notes what was connected to."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connected: list[tuple[str, int]] = []

    async def connect_tcp(self, host: str, port: int, *arguments: Any, **options: Any) -> Any:
        self.connected.append((host, port))
        assert host == PUBLIC, "only what was checked is connected to"
        return await super().connect_tcp("127.0.0.1", self.port, *arguments, **options)


class Realms:
    async def find_database(self, name: str) -> str | None:
        return name if name == "main" else None

    def forget(self) -> None:
        pass


@dataclass
class Scene:
    """Documents of ``HOST`` with a clock that tests move."""

    host: Host
    addresses: list[str] = field(default_factory=lambda: [PUBLIC])
    hosts: tuple[str, ...] = (HOST,)
    seconds: float = 5.0
    now: float = 1_000_000.0

    def __post_init__(self) -> None:
        self.wire = Wire(self.host.port)
        self.resolved: list[tuple[str, int]] = []

        async def resolve(name: str, port: int) -> list[str]:
            self.resolved.append((name, port))
            return self.addresses

        fetcher = Fetcher(resolve, self.wire, self.host.trust, self.seconds)
        self.documents = ClientDocuments(Realms(), self.hosts, SCOPES, lambda: self.now, fetcher)

    def find(self, client_id: str = URL, realm: str = "main") -> Any:
        return asyncio.run(self.documents.find(realm, client_id))


@pytest.fixture
def scene(host: Host) -> Scene:
    host.say()
    return Scene(host)


def test_a_client(scene: Scene) -> None:
    client = scene.find()
    assert (client.client_id, client.realm, client.name) == (URL, "main", "Field notes")
    assert client.redirect_uris == tuple(DOCUMENT["redirect_uris"])
    assert (client.is_public, client.needs_pkce, client.needs_consent) == (True, True, True)
    assert client.grant_types == {"authorization_code"}
    assert "records:read" in client.scopes
    assert not any(one.startswith("security:") for one in client.scopes)
    assert (client.subject, client.secret_hashes, client.auth_method) == (None, (), "none")
    assert (scene.resolved, scene.wire.connected) == ([(HOST, 443)], [(PUBLIC, 443)])
    [(path, headers)] = scene.host.seen
    assert (path, headers["Host"], headers["Accept"]) == ("/client.json", HOST, "application/json")
    assert not {"Cookie", "Authorization"} & headers.keys()


def test_a_client_with_a_key(scene: Scene) -> None:
    keys = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43}]}
    scene.host.say(DOCUMENT | {"token_endpoint_auth_method": "private_key_jwt", "jwks": keys})
    client = scene.find()
    assert (client.is_public, client.auth_method, client.jwks) == (False, "private_key_jwt", keys)


@pytest.mark.parametrize("realm", ["nowhere", ""])
def test_no_realm_no_fetch(scene: Scene, realm: str) -> None:
    assert scene.find(realm=realm) is None
    assert scene.resolved == []


BAD_URLS = [
    "", "https://", HOST, f"http://{HOST}/client.json", f"HTTPS://{HOST}/client.json", f"https://{HOST}", f"https://{HOST}/",
    f"https://{HOST}//client.json", f"https://{HOST}/a//b", f"https://{HOST}/client.json#a", f"https://{HOST}/client.json?a=b",
    f"https://ada@{HOST}/client.json", f"https://ada:b@{HOST}/client.json", f"https://{HOST}/./client.json",
    f"https://{HOST}/a/../client.json", f"https://{HOST}/%2e%2e/client.json", f"https://{HOST}/a%2f..%2fb",
    f"https://{HOST}/..%5cb", f"https://{HOST}:444/client.json", f"https://{HOST}:0443/client.json",
    f"https://{HOST}:99999/client.json", f"https://{HOST}./client.json", "https://APP.example/client.json",
    "https://other.example/client.json", f"https://{HOST}.evil.example/client.json", f"https://evil-{HOST}/client.json",
    f"https://evil.example/{HOST}/client.json", f"https://{HOST}\\@evil.example/a", f"https://{HOST}/\u00e4",
    f"https://{HOST}/a b", f"https://{HOST}/a\n", "https://127.0.0.1/client.json", "https://[::1]/client.json",
    "https://localhost/client.json", "https://2130706433/a", f"https://{HOST}/{'a' * 500}",
]  # fmt: skip


@pytest.mark.parametrize("client_id", BAD_URLS)
def test_urls_that_are_not_fetched(scene: Scene, client_id: str) -> None:
    assert scene.find(client_id) is None
    assert asyncio.run(scene.documents.find_live("main", client_id)) is None
    assert (scene.resolved, scene.wire.connected, scene.host.seen) == ([], [], [])


def test_no_host_is_allowed_unless_set(host: Host) -> None:
    scene = Scene(host, hosts=())
    assert scene.find() is None
    assert scene.resolved == []


def test_a_port_is_allowed_with_its_host() -> None:
    url = f"https://{HOST}:8443/client.json"
    assert read_url(url, [HOST]) is None
    assert read_url(url, [f"{HOST}:8443"]) == url
    assert read_url(URL, [f"{HOST}:8443"]) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "::ffff:10.0.0.1", "app.example", ""])
def test_addresses_that_nothing_is_fetched_from(host: Host, address: str) -> None:
    host.say()
    for addresses in ([address], [PUBLIC, address], [address, PUBLIC]):
        scene = Scene(host, addresses)
        assert scene.find() is None
        assert (scene.wire.connected, host.seen) == ([], [])


def test_a_name_without_addresses(host: Host) -> None:
    assert Scene(host, []).find() is None


HOSTILE: dict[str, dict[str, Any]] = {
    "another id": {"body": DOCUMENT | {"client_id": f"https://{HOST}/other.json"}},
    "its id with a slash": {"body": DOCUMENT | {"client_id": f"{URL}/"}},
    "its id in capitals": {"body": DOCUMENT | {"client_id": URL.upper()}},
    "no id": {"body": {name: DOCUMENT[name] for name in ("client_name", "redirect_uris")}},
    "a list as id": {"body": DOCUMENT | {"client_id": [URL]}},
    "no name": {"body": {name: DOCUMENT[name] for name in ("client_id", "redirect_uris")}},
    "an empty name": {"body": DOCUMENT | {"client_name": ""}},
    "a name that turns text around": {"body": DOCUMENT | {"client_name": "a\u202eb"}},
    "no redirect URIs": {"body": {name: DOCUMENT[name] for name in ("client_id", "client_name")}},
    "an empty list of them": {"body": DOCUMENT | {"redirect_uris": []}},
    "a script": {"body": DOCUMENT | {"redirect_uris": ["javascript:alert(1)"]}},
    "http": {"body": DOCUMENT | {"redirect_uris": ["http://app.example/"]}},
    "a secret": {"body": DOCUMENT | {"client_secret": "a"}},
    "a secret that expires": {"body": DOCUMENT | {"client_secret_expires_at": 0}},
    "client_secret_basic": {"body": DOCUMENT | {"token_endpoint_auth_method": "client_secret_basic"}},
    "client_secret_post": {"body": DOCUMENT | {"token_endpoint_auth_method": "client_secret_post"}},
    "client_secret_jwt": {"body": DOCUMENT | {"token_endpoint_auth_method": "client_secret_jwt"}},
    "a key that is missing": {"body": DOCUMENT | {"token_endpoint_auth_method": "private_key_jwt"}},
    "a symmetric key": {"body": DOCUMENT | {"jwks": {"keys": [{"kty": "oct", "k": "YWJj"}]}}},
    "client_credentials": {"body": DOCUMENT | {"grant_types": ["client_credentials"]}},
    "implicit": {"body": DOCUMENT | {"response_types": ["token"]}},
    "security scopes": {"body": DOCUMENT | {"scope": "security:write"}},
    "a list": {"body": [DOCUMENT]},
    "a string": {"body": "document"},
    "no JSON": {"body": b"<html>"},
    "nothing": {"body": b""},
    "bytes that are not UTF-8": {"body": b'{"client_id": "\xff"}'},
    "deep": {"body": b"[" * 2000},
    "too large": {"body": DOCUMENT | {"pad": "a" * MOST_BYTES}},
    "HTML": {"headers": {"Content-Type": "text/html"}},
    "text": {"headers": {"Content-Type": "text/plain"}},
    "JavaScript": {"headers": {"Content-Type": "application/javascript"}},
    "compressed": {"headers": {"Content-Encoding": "gzip"}},
    **{f"status {status}": {"status": status} for status in (201, 203, 206, 304, 400, 401, 403, 404, 410, 500, 503)},
    **{
        f"redirect {status}": {"status": status, "headers": {"Location": target}}
        for status in (301, 302, 303, 307, 308)
        for target in (f"https://{HOST}/other.json",)
    },
    "a redirect home": {"status": 302, "headers": {"Location": "http://127.0.0.1/"}},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers(scene: Scene, name: str) -> None:
    scene.host.say(**HOSTILE[name])
    assert scene.find() is None
    assert [path for path, _headers in scene.host.seen] == ["/client.json"]
    scene.host.say()
    assert scene.find() is not None, "failures are not remembered"


def test_a_document_of_the_largest_size(scene: Scene) -> None:
    text = json.dumps(DOCUMENT).encode()
    scene.host.say(text + b" " * (MOST_BYTES - len(text)))
    assert scene.find() is not None


def test_a_body_without_an_end_is_not_read_to_it(scene: Scene) -> None:
    sent: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        try:
            for _ in range(100_000):
                handler.wfile.write(b" " * 1000)
                sent.append(1000)
        except OSError:
            pass

    scene.host.answer = answer
    assert scene.find() is None
    assert sum(sent) < 50_000_000


def test_a_slow_host(host: Host) -> None:
    host.say(wait=1.0)
    scene, began = Scene(host, seconds=0.2), time.monotonic()
    assert scene.find() is None
    assert time.monotonic() - began < 0.9


def test_a_certificate_of_another_name_or_of_nobody(host: Host) -> None:
    host.say()
    scene = Scene(host, hosts=("other.example",))
    host.say(DOCUMENT | {"client_id": "https://other.example/client.json"})
    assert scene.find("https://other.example/client.json") is None
    stranger = Host(host.port, ssl.create_default_context())
    assert Scene(stranger).find() is None
    assert host.seen == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 300),
        ({"cache-control": "max-age=60"}, 60),
        ({"cache-control": "public, max-age=60, immutable"}, 60),
        ({"cache-control": "MAX-AGE=60"}, 60),
        ({"cache-control": "s-maxage=9"}, 300),
        ({"cache-control": "max-age=86400"}, MOST_SECONDS),
        ({"cache-control": "max-age=999999999"}, MOST_SECONDS),
        ({"cache-control": "max-age=60", "age": "20"}, 40),
        ({"cache-control": "max-age=60", "age": "90"}, 0),
        ({"cache-control": "max-age=60", "age": "soon"}, 60),
        ({"cache-control": "max-age=0"}, 0),
        ({"cache-control": "no-store, max-age=60"}, 0),
        ({"cache-control": "no-cache"}, 0),
        ({"cache-control": "max-age=-1"}, 300),
        ({"cache-control": "max-age=soon"}, 300),
    ],
)
def test_how_long_a_document_is_believed(headers: dict[str, str], seconds: int) -> None:
    assert find_lifetime(headers) == seconds


def test_it_is_fetched_again_when_it_is_old(scene: Scene) -> None:
    scene.host.say(headers={"Cache-Control": "max-age=60"})
    assert [scene.find().name for _ in range(3)] == ["Field notes"] * 3
    assert len(scene.host.seen) == 1
    scene.host.say(DOCUMENT | {"client_name": "Renamed"}, headers={"Cache-Control": "no-store"})
    scene.now += 59
    assert scene.find().name == "Field notes"
    scene.now += 1
    assert scene.find().name == "Renamed"
    scene.host.say(status=404)
    assert scene.find() is None, "an old document does not stand in for one that is gone"


def test_whether_a_token_lives_is_known_without_fetching(scene: Scene) -> None:
    live = asyncio.run(scene.documents.find_live("main", URL))
    assert live is not None
    assert (live.client_id, "logistics:write" in live.scopes, "security:read" in live.scopes) == (
        URL,
        True,
        False,
    )
    assert asyncio.run(scene.documents.find_live("nowhere", URL)) is None
    assert (scene.resolved, scene.host.seen) == ([], [])


def test_many_at_once_fetch_once(scene: Scene) -> None:
    scene.host.say(wait=0.2, headers={"Cache-Control": "no-store"})

    async def find_all() -> list[Any]:
        return await asyncio.gather(*(scene.documents.find("main", URL) for _ in range(50)))

    assert all(asyncio.run(find_all()))
    assert len(scene.host.seen) == 1


def test_one_that_gives_up_does_not_stop_the_others(scene: Scene) -> None:
    scene.host.say(wait=0.2)

    async def find_and_leave() -> Any:
        first = asyncio.create_task(scene.documents.find("main", URL))
        second = asyncio.create_task(scene.documents.find("main", URL))
        await asyncio.sleep(0.05)
        first.cancel()
        return await second

    assert asyncio.run(find_and_leave()) is not None


def test_few_are_fetched_at_once(scene: Scene) -> None:
    scene.host.say(wait=0.3)

    async def find_all() -> list[Any]:
        urls = [f"https://{HOST}/client-{number}.json" for number in range(12)]
        return await asyncio.gather(
            *(scene.documents.find("main", url) for url in urls), return_exceptions=True
        )

    found = asyncio.run(find_all())
    assert [type(one) for one in found if one is not None] == [Overloaded] * 4
    assert len(scene.host.seen) == 8


def test_the_address_is_looked_up_once(host: Host) -> None:
    """A name that leads elsewhere a moment later leads nowhere: what was checked is connected to."""
    host.say()
    scene = Scene(host)
    assert scene.find() is not None
    assert len(scene.resolved) == len(scene.wire.connected) == 1


def test_a_user_signs_in_to_such_a_client(
    host: Host, mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    host.say(
        DOCUMENT | {"grant_types": ["authorization_code", "refresh_token"], "scope": "openid logistics:read"}
    )
    values: dict[str, Any] = {
        "client_document_hosts": HOST,
        "data_folder": key_folder,
        "credential_cache_seconds": 0,
    }
    with open_world(mongo_uri, mongo_client, **values) as world:
        registered = world.app.state.service.provider.own.clients
        scene = Scene(host)
        registered.documents._fetcher = scene.documents._fetcher
        found = world.ask("GET /.well-known/oauth-authorization-server", None).json()
        assert found["client_id_metadata_document_supported"] is True
        sent = sign_in(world, URL, scope="openid logistics:read", redirect_uri=DOCUMENT["redirect_uris"][0])
        assert send(world, sent.form(client_id=f"{URL}x")).status_code == 401
        answer = send(world, sent.form(client_id=URL))
        assert answer.status_code == 200, answer.text
        tokens, fetched = answer.json(), len(scene.resolved)
        bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
        listing = "GET /logistics/carriers/list"
        assert world.ask(listing, None, headers=bearer).status_code == 200
        assert world.ask("GET /security/me", None, headers=bearer).status_code == 403
        assert len(scene.resolved) == fetched, "whether a token lives is known without fetching"
        form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": URL}
        assert send(world, form).status_code == 200
        assert world.documents["oauth_clients"].count_documents({}) == 0
        registered.documents = None
        assert world.ask(listing, None, headers=bearer).status_code == 401


def test_it_is_off_unless_set(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as world:
        assert world.app.state.service.provider.own.clients.documents is None
        found = world.ask("GET /.well-known/oauth-authorization-server", None).json()
        assert not {"client_id_metadata_document_supported", "registration_endpoint"} & found.keys()
        form = {"grant_type": "authorization_code", "code": "a", "redirect_uri": URL, "client_id": URL}
        assert send(world, form).status_code == 401


@pytest.mark.parametrize(
    "hosts",
    [
        "*",
        "*.example",
        "localhost",
        "127.0.0.1",
        "https://app.example",
        "app.example/",
        "app.example:0",
        "APP.example",
    ],
)
def test_hosts_that_are_not_accepted_at_start(hosts: str) -> None:
    with pytest.raises(Misconfigured, match="client-document-hosts"):
        Settings.read({}, client_document_hosts=hosts)


def test_a_document_that_only_looks_like_one() -> None:
    with pytest.raises(NotFetched, match="media type"):
        read_document(URL, Fetched(json.dumps(DOCUMENT).encode(), {}), SCOPES)
    typed = {"content-type": "application/oauth-client+json; charset=utf-8"}
    assert read_document(URL, Fetched(json.dumps(DOCUMENT).encode(), typed), SCOPES)["clientId"] == URL
