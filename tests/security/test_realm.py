"""Which realm a call acts in, and with which roles: a table over header, override and credential."""

from __future__ import annotations

import time
from typing import Any

import pytest

from runtime.errors import Denied
from runtime.identity.realms.realm import choose_realm, may_act_in, roles_in
from runtime.model.realm_name import is_realm_name
from runtime.principal import DomainContext, Identity
from runtime.seams import RealmQuestion

pytestmark = pytest.mark.anyio


def ada(**changes: Any) -> Identity:
    values: dict[str, Any] = {"roles": frozenset({"user"}), "domain": DomainContext("acme", "home")}
    return Identity("ada", "s", "home", **(values | changes))


class Resolver:
    """An application that decides by itself, or leaves it."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[RealmQuestion] = []

    async def choose_realm(self, question: RealmQuestion) -> str | None:
        self.asked.append(question)
        return self.answer


LISTED = {"realms": frozenset({"emea", "apac"})}
OVERRIDE = {"area_realms": {"billing": "emea"}}


@pytest.mark.parametrize(
    ("header", "area", "changes", "realm"),
    [
        pytest.param(None, "sales", {}, "home", id="nothing said"),
        pytest.param("home", "sales", {}, "home", id="the default by header"),
        pytest.param("emea", "sales", {}, None, id="another by header"),
        pytest.param("emea", "sales", LISTED, "emea", id="a listed one by header"),
        pytest.param("us", "sales", LISTED, None, id="one not listed"),
        pytest.param("emea", "sales", {"realm_reg_ex": "em.*"}, "emea", id="one that matches"),
        pytest.param("emea", "sales", {"realm_reg_ex": "em"}, None, id="the pattern matches the whole name"),
        pytest.param("memea", "sales", {"realm_reg_ex": "em.*"}, None, id="not its end"),
        pytest.param("emea", "sales", {"realm_reg_ex": "em|mea"}, None, id="nor one side of an or"),
        pytest.param("EMEA", "sales", {"realm_reg_ex": "(?i)emea"}, None, id="never a name in upper case"),
        pytest.param("emea", "sales", {"realm_reg_ex": ""}, None, id="an empty pattern opens nothing"),
        pytest.param("emea", "sales", {"realm_reg_ex": "("}, None, id="a broken pattern opens nothing"),
        pytest.param("emea", "sales", {"realm_reg_ex": "(?=emea).*"}, None, id="nor one RE2 cannot read"),
        pytest.param("emea", "sales", {"realm_reg_ex": ".*" + "|x" * 100}, None, id="nor a very long one"),
        pytest.param("emea", "sales", {"realm_reg_ex": "\ud800|.*"}, None, id="nor half a surrogate pair"),
        pytest.param("home", "sales", {"realm_reg_ex": "("}, "home", id="but the default stays open"),
        pytest.param("admin", "sales", {"realm_reg_ex": ".*"}, None, id="never MongoDB's admin"),
        pytest.param("local", "sales", {"realms": frozenset({"local"})}, None, id="never local"),
        pytest.param("config", "sales", {"realm_reg_ex": ".*"}, None, id="never config"),
        pytest.param("", "sales", {"realm_reg_ex": ".*"}, None, id="an empty header"),
        pytest.param("emea\n", "sales", {"realm_reg_ex": "(?s).*"}, None, id="a line break"),
        pytest.param("em.ea", "sales", {"realm_reg_ex": ".*"}, None, id="a dot"),
        pytest.param("em/ea", "sales", {"realm_reg_ex": ".*"}, None, id="a slash"),
        pytest.param("$emea", "sales", {"realm_reg_ex": ".*"}, None, id="a dollar"),
        pytest.param("e\0", "sales", {"realm_reg_ex": "(?s).*"}, None, id="NUL"),
        pytest.param("x" * 39, "sales", {"realm_reg_ex": ".*"}, None, id="39 characters"),
        pytest.param(None, "billing", OVERRIDE | LISTED, "emea", id="area override"),
        pytest.param(None, "sales", OVERRIDE | LISTED, "home", id="override of another area"),
        pytest.param("apac", "billing", OVERRIDE | LISTED, "apac", id="the header goes before the override"),
        pytest.param(None, "billing", OVERRIDE, None, id="an override that is not open to the credential"),
        pytest.param(None, "billing", {"area_realms": {"billing": "admin"}}, None, id="override to admin"),
        pytest.param(
            None, "sales", {"domain": DomainContext("acme", "admin")}, None, id="a default realm that is none"
        ),
    ],
)
async def test_realm_of_a_call(
    header: str | None, area: str, changes: dict[str, Any], realm: str | None
) -> None:
    question = RealmQuestion(header, ada(**changes), area)
    if realm is None:
        with pytest.raises(Denied):
            await choose_realm(question, None)
    else:
        assert await choose_realm(question, None) == realm


async def test_every_refusal_looks_the_same() -> None:
    said = set()
    for header in ("emea", "admin", "", "no such realm", "x" * 500):
        with pytest.raises(Denied) as refusal:
            await choose_realm(RealmQuestion(header, ada(), "sales"), None)
        said.add(refusal.value.message)
    assert len(said) == 1


@pytest.mark.parametrize(
    ("answer", "realm"),
    [
        pytest.param(None, "emea", id="leaves it to the built-in answer"),
        pytest.param("apac", "apac", id="goes before the header"),
        pytest.param("us", None, id="opens no realm that the credential does not"),
        pytest.param("admin", None, id="nor MongoDB's own"),
        pytest.param("", None, id="nor one without a name"),
    ],
)
async def test_application_is_asked_first(answer: str | None, realm: str | None) -> None:
    resolver = Resolver(answer)
    question = RealmQuestion("emea", ada(**LISTED), "sales")
    if realm is None:
        with pytest.raises(Denied):
            await choose_realm(question, resolver)
    else:
        assert await choose_realm(question, resolver) == realm
    assert resolver.asked == [question]


@pytest.mark.parametrize(
    ("realm", "roles"),
    [
        pytest.param("home", {"user"}, id="at home"),
        pytest.param("emea", {"admin"}, id="where roles are given"),
        pytest.param("apac", set(), id="where none are given"),
    ],
)
async def test_roles_are_those_of_the_realm(realm: str, roles: set[str]) -> None:
    identity = ada(**LISTED, realm_roles={"emea": frozenset({"admin"})})
    assert roles_in(identity, realm) == roles


async def test_roles_given_for_the_default_realm_elsewhere_add_nothing() -> None:
    assert roles_in(ada(realm_roles={"home": frozenset({"system"})}), "home") == {"user"}


async def test_hostile_pattern_costs_linear_time() -> None:
    identity = ada(realm_reg_ex="(a*)*b")
    began = time.perf_counter()
    assert not may_act_in(identity, "a" * 38)
    assert not may_act_in(ada(realm_reg_ex="(((a{1,100}){1,100}){1,100})"), "aaa")
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        pytest.param("a", True, id="one letter"),
        pytest.param("test-12_b", True, id="digits, dash, underscore"),
        pytest.param("x" * 38, True, id="38 characters"),
        pytest.param("x" * 39, False, id="39 characters"),
        pytest.param("1a", False, id="digit first"),
        pytest.param("-a", False, id="dash first"),
        pytest.param("ä", False, id="not ASCII"),
        pytest.param("a\n", False, id="line break"),
        pytest.param("administrator", True, id="admin is only the whole name"),
        pytest.param("config", False, id="config"),
    ],
)
async def test_names_of_realms(name: str, is_one: bool) -> None:
    assert is_realm_name(name) is is_one
