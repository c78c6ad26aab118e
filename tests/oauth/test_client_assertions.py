"""``private_key_jwt``: a client is who its registered key says, once for each assertion."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
from typing import Any

import jwt
import pytest
from pymongo import MongoClient

from tests.http.world import Document, World, open_world
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, check_refused, register, send
from tests.oauth.signing import (
    ASSERTION_TYPE,
    EC,
    EC_384,
    ED,
    ISSUER,
    RSA,
    SHORT,
    STRANGER,
    Signer,
    by_short,
    by_stranger,
    es256,
    es256_by_384,
    form,
    hs256,
    jwk,
    number,
    ps256,
    raw,
    rs256,
    rs512,
)
from tests.security.forging import MISSING, encode

JWKS = {
    "keys": [
        jwk(RSA, kid="rsa", use="sig"),
        jwk(EC, kid="ec"),
        jwk(ED, kid="ed", key_ops=["verify"]),
        jwk(RSA, kid="rs256 alone", alg="RS256"),
        jwk(RSA, kid="for encryption", use="enc"),
        jwk(RSA, kid="to sign", key_ops=["sign"]),
        jwk(RSA, kid="private", d="AQAB"),
        jwk(SHORT, kid="short"),
        jwk(EC_384, kid="384"),
        jwk(EC, kid="off the curve") | {"y": number(1, 32)},
        jwk(RSA, kid="exponent one") | {"e": "AQ"},
        jwk(RSA, kid="padded") | {"e": "AQAB===="},
        jwk(RSA, kid="no modulus") | {"n": None},
        {"kty": "oct", "kid": "shared", "k": encode(b"secret" * 8)},
        {"kty": "RSA", "kid": "empty"},
        {"kid": "typeless"},
        jwk(STRANGER, kid="twice"),
        jwk(STRANGER, kid="twice"),
        "not a key",
    ]
}
SIGNS: Document = {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": JWKS}
SECRETS: dict[str, str] = {}
SIGNER, TWIN = Signer("signer"), Signer("twin")


@pytest.fixture(scope="module")
def world(world: World) -> World:
    """No memory, so that what is changed is seen at once; failures are not throttled unless a test wants it."""
    clients: dict[str, Document] = {
        "signer": SIGNS,
        "twin": SIGNS,
        "disabled": SIGNS | {"active": False},
        "public": SIGNS | {"publicClient": True},
        "unasked": {"jwks": JWKS},
        "by-form": {"jwks": JWKS, "tokenEndpointAuthMethod": "client_secret_post"},
        "keyless": {"tokenEndpointAuthMethod": "private_key_jwt"},
        "one-key": SIGNS | {"jwks": {"keys": [jwk(RSA)]}},
        **{
            f"broken-{at}": SIGNS | {"jwks": broken}
            for at, broken in enumerate([[], {}, {"keys": {}}, {"keys": [[]]}, "keys", 1])
        },
    }
    SECRETS.update({client_id: register(world, client_id, **more) for client_id, more in clients.items()})
    return world


def ask(world: World, assertion: str, **more: str) -> Any:
    return send(world, CLIENT_CREDENTIALS | form(assertion, **more))


ALGORITHMS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "RS256": ("RS256", rs256, "rsa"),
    "PS256": ("PS256", ps256, "rsa"),
    "ES256": ("ES256", es256, "ec"),
    "EdDSA": ("EdDSA", ED.sign, "ed"),
    "a key for this algorithm alone": ("RS256", rs256, "rs256 alone"),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_signed_assertion_gets_a_token(world: World, name: str) -> None:
    algorithm, sign, kid = ALGORITHMS[name]
    answer = ask(world, SIGNER.with_header(sign, alg=algorithm, kid=kid))
    assert answer.status_code == 200, answer.text
    token = answer.json()["access_token"]
    assert jwt.decode(token, options={"verify_signature": False})["client_id"] == "signer"


RIGHT: dict[str, Callable[[Signer], str]] = {
    "for the token endpoint": lambda s: s.with_claims(aud=f"{ISSUER}/oauth/token"),
    "for both, in a list": lambda s: s.with_claims(aud=[ISSUER, f"{ISSUER}/oauth/token"]),
    "the issuer in a list": lambda s: s.with_claims(aud=[ISSUER]),
    "without a time of issue": lambda s: s.with_claims(iat=MISSING),
    "with nbf": lambda s: s.with_claims(nbf=int(time.time())),
    "issued by a clock some seconds ahead": lambda s: s.with_claims(iat=int(time.time()) + 3),
    "issued long ago": lambda s: s.with_claims(iat=1),
    "times with fractions": lambda s: s.with_claims(exp=time.time() + 60.5, iat=time.time()),
    "five minutes": lambda s: s.with_claims(exp=int(time.time()) + 300),
    "without typ": lambda s: s.with_header(typ=MISSING),
    "typ in lower case": lambda s: s.with_header(typ="jwt"),
    "typ of client authentication": lambda s: s.with_header(typ="client-authentication+jwt"),
    "the thumbprint of a certificate": lambda s: s.with_header(x5t="AQAB"),
    "other claims": lambda s: s.with_claims(groups=["admin"], htm="POST"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_assertions_may_differ(world: World, name: str) -> None:
    answer = ask(world, RIGHT[name](SIGNER))
    assert answer.status_code == 200, answer.text


def test_the_client_id_may_be_sent_too_and_one_key_needs_no_name(world: World) -> None:
    assert ask(world, SIGNER.with_claims(), client_id="signer").status_code == 200
    assert ask(world, Signer("one-key").with_header(kid=MISSING)).status_code == 200
    check_refused(ask(world, Signer("one-key").with_header(kid="rsa")), 401, "invalid_client")


FORGED: dict[str, Callable[[Signer], str]] = {
    # The signature
    "by a stranger": lambda s: s.with_header(by_stranger),
    "by a stranger under its own kid": lambda s: s.with_header(by_stranger, kid="stranger"),
    "by a stranger with its key inside": lambda s: s.with_header(by_stranger, jwk=jwk(STRANGER)),
    "by a stranger with its key inside and no kid": lambda s: s.with_header(
        by_stranger, kid=MISSING, jwk=jwk(STRANGER)
    ),
    "well signed with the key inside": lambda s: s.with_header(jwk=jwk(RSA)),
    "an address of keys": lambda s: s.with_header(by_stranger, jku="https://evil.example/jwks"),
    "an address of a certificate": lambda s: s.with_header(x5u="https://evil.example/c.pem"),
    "a certificate inside": lambda s: s.with_header(x5c=["MIIB"]),
    "crit": lambda s: s.with_header(crit=["exp"], exp=1),
    "b64": lambda s: s.with_header(b64=True),
    "compressed": lambda s: s.with_header(zip="DEF"),
    "an unknown member": lambda s: s.with_header(note="x"),
    "alg none": lambda s: raw({"alg": "none", "kid": "rsa"}, s.claims(), lambda _: b""),
    "alg none with a signature": lambda s: s.with_header(alg="none"),
    "alg None": lambda s: s.with_header(alg="None"),
    "alg missing": lambda s: s.with_header(alg=MISSING),
    "alg a list": lambda s: s.with_header(alg=["RS256"]),
    "alg null": lambda s: s.with_header(alg=None),
    "HS256 with the public modulus": lambda s: s.with_header(hs256(jwk(RSA)["n"].encode()), alg="HS256"),
    "HS256 with the secret of the client": lambda s: s.with_header(
        hs256(SECRETS["signer"].encode()), alg="HS256"
    ),
    "HS256 with a registered shared key": lambda s: s.with_header(
        hs256(b"secret" * 8), alg="HS256", kid="shared"
    ),
    "RS512": lambda s: s.with_header(rs512, alg="RS512"),
    "RS512 under RS256": lambda s: s.with_header(rs512),
    "PS256 under RS256": lambda s: s.with_header(ps256),
    "RS256 under PS256": lambda s: s.with_header(alg="PS256"),
    "PS256 with a key for RS256 alone": lambda s: s.with_header(ps256, alg="PS256", kid="rs256 alone"),
    "ES256 with an RSA key": lambda s: s.with_header(alg="ES256"),
    "ES256 named for an RSA key": lambda s: s.with_header(es256, alg="ES256"),
    "RS256 named for an EC key": lambda s: s.with_header(kid="ec"),
    "EdDSA named for an EC key": lambda s: s.with_header(ED.sign, alg="EdDSA", kid="ec"),
    "ES256 with a key of another curve": lambda s: s.with_header(es256_by_384, alg="ES256", kid="384"),
    "ES256 of zeros": lambda s: s.with_header(lambda _: bytes(64), alg="ES256", kid="ec"),
    "ES256 of DER": lambda s: s.with_header(lambda _: b"0\x06\x02\x01\x01\x02\x01\x01", alg="ES256", kid="ec"),
    "EdDSA of zeros": lambda s: s.with_header(lambda _: bytes(64), alg="EdDSA", kid="ed"),
    "ES384": lambda s: s.with_header(es256_by_384, alg="ES384", kid="384"),
    "a short key": lambda s: s.with_header(by_short, kid="short"),
    "a key for encryption": lambda s: s.with_header(kid="for encryption"),
    "a key to sign": lambda s: s.with_header(kid="to sign"),
    "a private key": lambda s: s.with_header(kid="private"),
    "a point off the curve": lambda s: s.with_header(es256, alg="ES256", kid="off the curve"),
    "the exponent one": lambda s: s.with_header(lambda t: bytes(256), kid="exponent one"),
    "a padded key": lambda s: s.with_header(kid="padded"),
    "a key without modulus": lambda s: s.with_header(kid="no modulus"),
    "an empty key": lambda s: s.with_header(kid="empty"),
    "a key without type": lambda s: s.with_header(kid="typeless"),
    "a kid that two keys have": lambda s: s.with_header(by_stranger, kid="twice"),
    "no kid, several keys": lambda s: s.with_header(kid=MISSING),
    "kid null": lambda s: s.with_header(kid=None),
    "kid empty": lambda s: s.with_header(kid=""),
    "kid a list": lambda s: s.with_header(kid=["rsa"]),
    "kid an operator": lambda s: s.with_header(kid={"$ne": ""}),
    "kid in capitals": lambda s: s.with_header(kid="RSA"),
    "kid unknown": lambda s: s.with_header(kid="unknown"),
    "typ of access tokens": lambda s: s.with_header(typ="at+jwt"),
    "typ of DPoP proofs": lambda s: s.with_header(typ="dpop+jwt"),
    "typ a list": lambda s: s.with_header(typ=["JWT"]),
    "typ null": lambda s: s.with_header(typ=None),
    "claims twice": lambda s: raw(
        {"alg": "RS256", "kid": "rsa"}, b'{"sub":"twin",' + str(s.claims()).replace("'", '"').encode()[1:], rs256
    ),
    "no signature": lambda s: s.with_claims().rpartition(".")[0] + ".",
    "a cut signature": lambda s: s.with_claims()[:-8],
    "claims of another assertion": lambda s: ".".join(
        (s.with_claims().split(".")[0], s.with_claims().split(".")[1], s.with_claims().split(".")[2])
    ),
    "five parts": lambda s: s.with_claims() + ".a.b",
    "not a token": lambda _: "assertion",
    "an unsigned token of a claim": lambda s: "e30." + s.with_claims().split(".")[1] + ".AA",
    "claims that are a list": lambda _: raw({"alg": "RS256", "kid": "rsa"}, [], rs256),
    # Who
    "for an unknown client": lambda _: Signer("nobody").with_claims(),
    "for a disabled client": lambda _: Signer("disabled").with_claims(),
    "for a public client": lambda _: Signer("public").with_claims(),
    "for a client with keys and no method": lambda _: Signer("unasked").with_claims(),
    "for a client registered for its secret": lambda _: Signer("by-form").with_claims(),
    "for a client without keys": lambda _: Signer("keyless").with_claims(),
    **{
        f"for a client with broken keys, {at}": lambda _, at=at: Signer(f"broken-{at}").with_claims()
        for at in range(6)
    },
    "iss missing": lambda s: s.with_claims(iss=MISSING),
    "iss of another client": lambda s: s.with_claims(iss="twin"),
    "iss of the server": lambda s: s.with_claims(iss=ISSUER),
    "iss a list": lambda s: s.with_claims(iss=["signer"]),
    "sub missing": lambda s: s.with_claims(sub=MISSING),
    "sub of another client": lambda s: s.with_claims(sub="twin"),
    "sub a number": lambda s: s.with_claims(sub=1),
    "sub an operator": lambda s: s.with_claims(sub={"$ne": ""}),
    "sub in capitals": lambda s: s.with_claims(sub="SIGNER", iss="SIGNER"),
    "sub beyond any length": lambda s: s.with_claims(sub="s" * 2000, iss="s" * 2000),
    "sub with half a surrogate pair": lambda s: s.with_claims(sub="\ud800", iss="\ud800"),
    # For whom
    "aud missing": lambda s: s.with_claims(aud=MISSING),
    "aud null": lambda s: s.with_claims(aud=None),
    "aud empty": lambda s: s.with_claims(aud=[]),
    "aud an empty text": lambda s: s.with_claims(aud=""),
    "aud of another server": lambda s: s.with_claims(aud="https://other.example"),
    "aud of us and another server": lambda s: s.with_claims(aud=[ISSUER, "https://other.example"]),
    "aud with a slash more": lambda s: s.with_claims(aud=ISSUER + "/"),
    "aud in capitals": lambda s: s.with_claims(aud=ISSUER.upper()),
    "aud of the resource": lambda s: s.with_claims(aud=f"{ISSUER}/mcp"),
    "aud of another endpoint": lambda s: s.with_claims(aud=f"{ISSUER}/oauth/revoke"),
    "aud of the endpoint with a query": lambda s: s.with_claims(aud=f"{ISSUER}/oauth/token?realm=main"),
    "aud an object": lambda s: s.with_claims(aud={ISSUER: True}),
    # When
    "exp missing": lambda s: s.with_claims(exp=MISSING),
    "exp past": lambda s: s.with_claims(exp=int(time.time()) - 10),
    "exp too far ahead": lambda s: s.with_claims(exp=int(time.time()) + 320),
    "exp in milliseconds": lambda s: s.with_claims(exp=int(time.time() + 60) * 1000),
    "exp text": lambda s: s.with_claims(exp=str(int(time.time()) + 60)),
    "exp true": lambda s: s.with_claims(exp=True),
    "exp negative": lambda s: s.with_claims(exp=-1),
    "exp beyond any number": lambda s: raw(
        {"alg": "RS256", "kid": "rsa"}, str(s.claims(exp=0)).replace("'", '"').replace('"exp": 0', '"exp": 1e999').encode(),
        rs256,
    ),
    "exp of 400 digits": lambda s: s.with_claims(exp=10**400),
    "iat in the future": lambda s: s.with_claims(iat=int(time.time()) + 30),
    "iat text": lambda s: s.with_claims(iat="0"),
    "nbf in the future": lambda s: s.with_claims(nbf=int(time.time()) + 30),
    "nbf null": lambda s: s.with_claims(nbf=None),
    "jti missing": lambda s: s.with_claims(jti=MISSING),
    "jti empty": lambda s: s.with_claims(jti=""),
    "jti a number": lambda s: s.with_claims(jti=1),
    "jti an operator": lambda s: s.with_claims(jti={"$ne": ""}),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_forged_assertions(world: World, name: str) -> None:
    spent = world.documents["spentTokens"].count_documents({})
    assertion = FORGED[name](SIGNER)
    check_refused(ask(world, assertion), 401, "invalid_client")
    assert world.documents["spentTokens"].count_documents({}) == spent


NOT_PROVED = ("by a stranger", "for an unknown client", "for a disabled client", "for a public client",
              "for a client without keys", "for a client with keys and no method", "kid unknown")  # fmt: skip


def test_without_a_right_signature_nothing_is_said_about_the_client(world: World) -> None:
    answers = {ask(world, FORGED[name](SIGNER)).content for name in NOT_PROVED}
    assert len(answers) == 1


WRONG_FORMS: dict[str, tuple[int, str, Callable[[str], dict[str, str]], dict[str, str]]] = {
    "with the secret in the form": (
        400, "invalid_request", lambda a: form(a, client_id="signer", client_secret=SECRETS["signer"]), {},
    ),
    "with a secret alone": (400, "invalid_request", lambda a: form(a, client_secret="x"), {}),
    "with Basic": (400, "invalid_request", form, {"basic": "signer"}),
    "with Basic and the client id": (
        400, "invalid_request", lambda a: form(a, client_id="signer"), {"basic": "signer"},
    ),
    "with a bearer token": (400, "invalid_request", form, {"Authorization": "Bearer a.b.c"}),
    "with an empty Authorization header": (400, "invalid_request", form, {"Authorization": ""}),
    "the client id of another": (400, "invalid_request", lambda a: form(a, client_id="twin"), {}),
    "no type": (400, "invalid_request", lambda a: {"client_assertion": a}, {}),
    "no assertion": (400, "invalid_request", lambda _: {"client_assertion_type": ASSERTION_TYPE}, {}),
    "no assertion, the client id alone": (
        400, "invalid_request", lambda _: {"client_assertion_type": ASSERTION_TYPE, "client_id": "signer"}, {},
    ),
    "an empty assertion": (400, "invalid_request", lambda _: form(""), {}),
    "no assertion but Basic": (
        400, "invalid_request", lambda _: {"client_assertion_type": ASSERTION_TYPE}, {"basic": "by-form"},
    ),
    "another type": (
        401, "invalid_client",
        lambda a: form(a) | {"client_assertion_type": ASSERTION_TYPE.replace("jwt", "saml2")}, {},
    ),
    "a type in capitals": (
        401, "invalid_client", lambda a: form(a) | {"client_assertion_type": ASSERTION_TYPE.upper()}, {},
    ),
    "an assertion beyond any length": (400, "invalid_request", lambda _: form("a" * 8193), {}),
    "another realm": (401, "invalid_client", lambda a: form(a, realm="elsewhere"), {}),
    "the secret of a client with keys": (
        401, "invalid_client", lambda _: {"client_id": "signer", "client_secret": SECRETS["signer"]}, {},
    ),
    "the secret by Basic": (401, "invalid_client", lambda _: {}, {"basic": "signer"}),
    "the id alone": (401, "invalid_client", lambda _: {"client_id": "signer"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_FORMS)
def test_wrong_forms(world: World, name: str) -> None:
    status, error, fill, headers = WRONG_FORMS[name]
    sent = dict(headers)
    if (client_id := sent.pop("basic", None)) is not None:
        sent |= basic(client_id, SECRETS[client_id])
    assertion = SIGNER.with_claims()
    answer = send(world, CLIENT_CREDENTIALS | fill(assertion), sent)
    check_refused(answer, status, error)
    assert SECRETS["signer"] not in answer.text
    assert ask(world, assertion).status_code == 200  # it was not used up


def test_a_repeated_assertion_parameter(world: World) -> None:
    twice = "&".join(f"client_assertion={SIGNER.with_claims()}" for _ in range(2))
    body = f"grant_type=client_credentials&client_assertion_type={ASSERTION_TYPE}&{twice}"
    check_refused(send(world, body), 400, "invalid_request")


def test_an_assertion_is_used_once(world: World) -> None:
    assertion = SIGNER.with_claims(jti="shared by both")
    assert ask(world, assertion).status_code == 200
    for again in (assertion, SIGNER.with_claims(jti="shared by both", exp=int(time.time()) + 200)):
        check_refused(ask(world, again), 401, "invalid_client")
    assert ask(world, TWIN.with_claims(jti="shared by both")).status_code == 200


def test_a_request_that_fails_later_has_used_its_assertion(world: World) -> None:
    assertion = SIGNER.with_claims()
    answer = send(world, CLIENT_CREDENTIALS | form(assertion, resource="https://unknown.example"))
    check_refused(answer, 400, "invalid_target")
    check_refused(ask(world, assertion), 401, "invalid_client")


def test_of_many_uses_at_once_one_succeeds(world: World) -> None:
    for _ in range(3):
        assertion = SIGNER.with_claims()
        with ThreadPoolExecutor(16) as pool:
            statuses = list(pool.map(lambda _, sent=assertion: ask(world, sent).status_code, range(16)))
        assert sorted(statuses) == [200] + [401] * 15


def test_what_is_stored_of_an_assertion_names_nobody_and_goes(world: World) -> None:
    spent = world.documents["spentTokens"]
    spent.delete_many({})
    ends = int(time.time()) + 120
    assertion = SIGNER.with_claims(jti="known-jti", exp=ends)
    assert ask(world, assertion).status_code == 200
    (stored,) = spent.find()
    assert not {part for part in ("signer", "known-jti", assertion) if part in str(stored)}
    assert ends + 60 < stored["expiresAt"].replace(tzinfo=UTC).timestamp() < ends + 600


def test_a_key_that_is_taken_away_is_refused_at_once(world: World) -> None:
    clients = world.documents["oauth_clients"]
    clients.update_one({"clientId": "twin"}, {"$set": {"jwks": {"keys": [jwk(EC, kid="ec")]}}})
    check_refused(ask(world, TWIN.with_claims()), 401, "invalid_client")
    assert ask(world, TWIN.with_header(es256, alg="ES256", kid="ec")).status_code == 200
    clients.update_one({"clientId": "twin"}, {"$set": {"active": False}})
    check_refused(ask(world, TWIN.with_header(es256, alg="ES256", kid="ec")), 401, "invalid_client")
    clients.update_one({"clientId": "twin"}, {"$set": SIGNS | {"active": True}})


def test_failures_are_throttled_and_cannot_lock_the_client_out(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_world(mongo_uri, mongo_client, login_failures=3, data_folder=key_folder) as world:
        register(world, "guessed", **SIGNS)
        guessed = Signer("guessed")
        used = guessed.with_claims()
        assert ask(world, used).status_code == 200
        for wrong in (used, guessed.with_header(by_stranger), guessed.with_claims(aud="x")):
            check_refused(ask(world, wrong), 401, "invalid_client")
        throttled = ask(world, guessed.with_header(by_stranger))
        check_refused(throttled, 429, "temporarily_unavailable")
        assert int(throttled.headers["retry-after"]) > 0
        assert ask(world, guessed.with_claims()).status_code == 200
        check_refused(ask(world, Signer("another").with_claims()), 429, "temporarily_unavailable")
