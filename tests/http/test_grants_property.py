"""Whatever an administrator does, alone or through others, nobody gets a right that no chain of grants gave.

Each example is a random sequence over real routes and a real store. An attacker begins with one administrator's
password and uses every account that it gets hold of; the operator works in between. Two things must hold after
each step: the attacker never holds or uses more than the administrator it began with, and whoever acts as another
does so by the rights that the granter has at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.identity.users.users import NewUser
from tests.http.world import PASSWORD, Document, World
from tests.properties import examples

pytestmark = pytest.mark.settings(credential_cache_seconds=0)
"""The operator works in the database, and what it did counts in the next step."""

USERS = "/security/users"
ME = "GET /security/me"

PEOPLE: dict[str, Document] = {
    "chief": {"roles": ["admin"]},
    "peer": {"roles": ["admin"]},
    "north-chief": {"roles": ["admin"], "org": "north"},
    "north-peer": {"roles": ["admin"], "org": "north"},
    "north-auditor": {"roles": ["auditor"], "org": "north"},
    "user": {"roles": ["user"]},
    "north-user": {"roles": ["user"], "org": "north"},
    "south-user": {"roles": ["user"], "org": "south"},
    "auditor": {"roles": ["user", "auditor"]},
    "audit-chief": {"roles": ["admin", "auditor"]},
    "root": {"roles": ["system"]},
    "trusted": {"roles": ["user"], "org": "north"},
    "traveller": {"roles": ["user"], "realms": ["emea"]},
}
INCLUDED = {"admin": {"admin", "user"}}

_numbers = count(1)

ACTIONS = (
    *("act", "act", "act", "act", "act", "allow", "reset", "reset"),
    *("assign", "take", "disable", "enable", "remove"),
)
GIFTS = ("allow", "promote", "open realms")
LOSSES = ("demote", "disable", "enable", "revoke")

person = st.integers(0, 30)
attacks = st.tuples(
    st.just("attacker"),
    st.sampled_from([*ACTIONS, "create"]),
    person,
    st.one_of(st.none(), st.none(), st.none(), person),
    st.integers(0, 9),
)
operations = st.tuples(st.just("operator"), st.sampled_from([*GIFTS, *LOSSES]), person, st.none(), st.just(0))
steps = st.lists(st.one_of(attacks, attacks, attacks, operations), min_size=10, max_size=20)
"""Who, does what, to whom, through whom, and which of several ways."""


@dataclass
class Town:
    """The people of one example, by user id; ``held``: whose passwords the attacker knows."""

    world: World
    mark: str
    limit: Document
    held: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    by_operator: set[str] = field(default_factory=set)
    tokens: dict[tuple[str, int], str] = field(default_factory=dict)
    uses: int = 0

    def stored(self, user_id: str) -> Document:
        return self.world.documents["credentials"].find_one({"userId": user_id}) or {}

    def token(self, user_id: str) -> str | None:
        """A token of an account of the attacker; None where it cannot sign in any more."""
        stored = self.stored(user_id)
        epoch = stored.get("tokenEpoch", 0)
        if not stored or stored["disabled"]:
            return None  # a failed login would count, and throttle those of the next examples
        if (user_id, epoch) not in self.tokens:
            body = {"userId": user_id, "password": self.held[user_id]}
            answer = self.world.ask("POST /security/login", None, json=body)
            assert answer.status_code == 200, answer.text
            self.tokens[user_id, epoch] = answer.json()["accessToken"]
        return self.tokens[user_id, epoch]

    def set(self, user_id: str, **members: Any) -> None:
        """The work of the operator, at the database."""
        changes = {"$set": members, "$inc": {"version": 1}}
        self.world.documents["credentials"].update_one({"userId": user_id}, changes)


@pytest.fixture(scope="module")
def cast(world: World) -> Document:
    """The credential that all people are copies of."""
    world.sign_in("model", NewUser("model@acme.example", PASSWORD, "acme", frozenset({"admin"})))
    found: Document = world.documents["credentials"].find_one({"userId": "model@acme.example"}) or {}
    return found


def settle(world: World, model: Document, attacker: str) -> Town:
    """New people. The attacker is one of them, has an accomplice, and lets the accomplice act as others; the
    operator lets a trusted one act as others."""
    mark = f"x{next(_numbers)}"
    documents = []
    for name, facts in PEOPLE.items():
        user_id, org = f"{name}-{mark}", {"orgRefName": facts["org"]} if "org" in facts else {}
        documents.append(
            {name: value for name, value in model.items() if name != "_id"}
            | {"userId": user_id, "loginName": user_id, "refName": user_id, "subject": f"s-{user_id}"}
            | {"roles": facts["roles"], "realms": facts.get("realms", [])}
            | {"dataDomain": model["dataDomain"] | org, "domainContext": model["domainContext"] | org}
        )
    world.documents["credentials"].insert_many(documents)
    town = Town(world, mark, PEOPLE[attacker], names=[one["userId"] for one in documents])
    operate(town, "allow", f"trusted-{mark}")
    accomplice = f"north-user-{mark}"
    town.held |= {f"{attacker}-{mark}": PASSWORD, accomplice: PASSWORD}
    token = town.token(f"{attacker}-{mark}")
    answer = ask(town, "allow", accomplice, 0, {"Authorization": f"Bearer {token}"})
    assert answer.status_code == 204, answer.text
    return town


def covers(has: Document, org: str | None, user: Document) -> bool:
    """Whether a user has no more than these roles in this organisation; plain, from the stored document."""
    held = set().union(*(INCLUDED.get(role, {role}) for role in has["roles"]))
    inside = org is None or user["domainContext"].get("orgRefName") == org
    elsewhere = user.get("realms") or user.get("realmRegEx") or user.get("realmRoles")
    return set(user["roles"]) <= held and inside and not elsewhere


def within_limit(town: Town, user: Document) -> bool:
    return covers(town.limit, town.limit.get("org"), user)


def attack(town: Town, action: str, target: str, via: str | None, choice: int) -> None:
    is_acting = action == "act" or via is not None
    wanted = {"impersonationEnabled": True} if is_acting else {"roles": "admin"}
    able = town.world.documents["credentials"].find({"userId": {"$in": sorted(town.held)}, **wanted})
    actors = [one["userId"] for one in able]
    actor = actors[choice % len(actors)] if actors else None
    token = None if actor is None else town.token(actor)
    if token is None:
        return
    headers = {"Authorization": f"Bearer {token}"}
    if is_acting:
        headers["X-Impersonate-UserId"] = as_whom = target if action == "act" or via is None else via
        holder, acted_as = town.stored(actor), town.stored(as_whom)
    before = town.stored(target)
    if action == "act":
        answer = town.world.ask(ME, None, headers=headers)
    else:
        answer = ask(town, action, target, choice, headers)
    assert answer.status_code < 500, answer.text
    if answer.status_code == 403 and answer.json()["detail"] == "you may not act as this user":
        return
    if "X-Impersonate-UserId" in headers and answer.status_code != 401:
        town.uses += 1
        check_use(town, holder, acted_as)
    if answer.status_code < 300 and action not in ("act", "create"):
        check_managed(town, action, target, before)


def ask(town: Town, action: str, target: str, choice: int, headers: dict[str, str]) -> Any:
    """One request of an administrator to ``/security/users``."""
    path, roles = f"{USERS}/userId/{target}", [["user"], ["admin"], ["system"]][choice % 3]
    new = f"new{choice}-{next(_numbers)}-{town.mark}"
    script = ("userId:~", "roles:user", "userId:${principalId} || roles:^[admin, user]")[choice % 3]
    requests: dict[str, tuple[str, Document | None]] = {
        "allow": (f"PUT {path}/impersonation", {"filterScript": script}),
        "reset": (f"PUT {path}/password", {"newPassword": f"{PASSWORD} again", "forceChangePassword": False}),
        "assign": (f"PUT {path}/roles", {"roles": roles}),
        "take": (f"DELETE {path}/roles?roles={roles[0]}", None),
        "disable": (f"PUT {path}/disabled", {"disabled": True}),
        "enable": (f"PUT {path}/disabled", {"disabled": False}),
        "remove": (f"DELETE {path}", None),
        "create": (f"POST {USERS}", {"userId": new, "password": PASSWORD, "roles": roles}),
    }
    request, body = requests[action]
    answer = town.world.ask(request, None, headers=headers, json=body)
    if answer.status_code < 300 and action == "create":
        town.names.append(new)
        town.held[new] = PASSWORD
        assert within_limit(town, town.stored(new)), new
    return answer


def check_use(town: Town, holder: Document, target: Document) -> None:
    """What is acted as is within the attacker's limit, and within what the granter has now."""
    assert within_limit(town, target), target["userId"]
    granter = town.world.documents["credentials"].find_one(
        {"subject": holder["impersonationGranter"]["subject"], "disabled": False}
    )
    assert granter is not None
    assert covers(granter, granter["domainContext"].get("orgRefName"), target), target["userId"]
    assert target["userId"] not in town.by_operator


def check_managed(town: Town, action: str, target: str, before: Document) -> None:
    """Who was managed had, and has, no more than the attacker's limit, impersonation included."""
    assert within_limit(town, before), (action, target)
    assert target not in town.by_operator, (action, target)
    if action == "remove":
        town.held.pop(target, None)
        town.names.remove(target)
        return
    assert within_limit(town, town.stored(target)), (action, target)
    if action == "reset":
        town.held[target] = f"{PASSWORD} again"


def operate(town: Town, action: str, target: str) -> None:
    """The operator gives to people that the attacker does not hold, and takes from anybody."""
    if action in GIFTS and target in town.held:
        return
    if action == "allow":
        script = {"impersonationEnabled": True, "impersonateFilterScript": "userId:~"}
        town.set(target, **script, impersonationGranter={"operator": True})
        town.by_operator.add(target)
    elif action == "revoke":
        town.set(target, impersonationEnabled=False)
        town.by_operator.discard(target)
    elif action == "promote":
        town.set(target, roles=sorted({*town.stored(target)["roles"], "auditor", "admin"}))
    elif action == "open realms":
        town.set(target, realms=["emea"])
    elif action == "demote":
        town.set(target, roles=["user"])
    else:
        town.set(target, disabled=action == "disable")


@pytest.fixture(scope="module")
def seen() -> Iterator[dict[str, int]]:
    """How often somebody acted as somebody, over all examples: a property of refusals alone says nothing."""
    counted = {"uses": 0, "held": 0}
    yield counted
    assert counted["uses"] > 10
    assert counted["held"] > 10


@settings(max_examples=examples(30, nightly=500))
@given(attacker=st.sampled_from(["chief", "chief", "north-chief"]), steps=steps)
def test_nobody_gets_a_right_that_no_chain_of_grants_gave(
    world: World, cast: Document, seen: dict[str, int], attacker: str, steps: list[Any]
) -> None:
    town = settle(world, cast, attacker)
    for who, action, target, via, choice in steps:
        if not town.held:
            break
        named = town.names[target % len(town.names)]
        if who == "operator":
            operate(town, action, named)
        else:
            attack(town, action, named, None if via is None else town.names[via % len(town.names)], choice)
    seen["uses"] += town.uses
    seen["held"] += len(town.held)
