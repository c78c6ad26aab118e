"""What a token may do at most, by its scopes and by those of its client."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.permissions.token_scopes import (
    OPENID_SCOPES,
    find_missing_scope,
    known_scopes,
    limits_of,
    parse,
)

AREAS = ("logistics", "integration", "security")
KNOWN = known_scopes([*AREAS, "system"])
RECORD_SCOPES = tuple(one for one in KNOWN if one not in OPENID_SCOPES)
ACTIONS = ("VIEW", "CREATE", "UPDATE", "DELETE", "APPROVE", "view", "*", "")


def test_known_scopes_are_those_of_openid_and_two_for_each_area_with_routes() -> None:
    assert KNOWN == (
        "openid", "profile", "email", "offline_access",
        "records:read", "records:write",
        "integration:read", "integration:write",
        "logistics:read", "logistics:write",
        "security:read", "security:write",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scope", "parsed"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("openid", ("openid",), id="one"),
        pytest.param("openid a:read", ("openid", "a:read"), id="two"),
        pytest.param("b a b a", ("b", "a"), id="repeated"),
        pytest.param("  b   a ", ("b", "a"), id="more spaces"),
        pytest.param("a:read\ta:write", ("a:read\ta:write",), id="a tabulator separates nothing"),
    ],
)
def test_a_scope_parameter_is_parsed(scope: str, parsed: tuple[str, ...]) -> None:
    assert parse(scope) == parsed


@pytest.mark.parametrize(
    ("scope", "client_scopes", "limits"),
    [
        pytest.param("", None, None, id="a login"),
        pytest.param("openid profile", None, None, id="a sign-in without records"),
        pytest.param("openid", ("openid",), None, id="of a client without records"),
        pytest.param("", (), None, id="of a client without scopes"),
        pytest.param("logistics:read", None, {"logistics:read"}, id="of a client that may request any"),
        pytest.param("openid logistics:read", None, {"logistics:read"}, id="with OpenID Connect"),
        pytest.param("openid", ("openid", "logistics:read"), set(), id="asking for less gives less"),
        pytest.param("", ("logistics:read",), set(), id="asking for nothing gives nothing"),
        pytest.param(
            "logistics:read", ("logistics:read", "logistics:write"), {"logistics:read"}, id="one of two"
        ),
        pytest.param(
            "logistics:read logistics:write", ("logistics:read",), {"logistics:read"}, id="one was taken away"
        ),
        pytest.param("logistics:read", ("openid",), set(), id="all were taken away"),
        pytest.param("logistics:read", (), set(), id="the client lost all of its scopes"),
        pytest.param("logistics:read", ("records:read",), set(), id="only what is registered by name"),
        pytest.param("wonderland", None, {"wonderland"}, id="a word that is no scope"),
        pytest.param("", ("wonderland",), set(), id="a client with a word that is no scope"),
    ],
)
def test_a_token_is_narrowed_by_its_scopes_and_those_of_its_client(
    scope: str, client_scopes: tuple[str, ...] | None, limits: set[str] | None
) -> None:
    assert limits_of(scope, client_scopes) == limits


@pytest.mark.parametrize(
    ("limits", "area", "action", "missing"),
    [
        pytest.param(None, "security", "DELETE", None, id="not narrowed"),
        pytest.param({"logistics:read"}, "logistics", "VIEW", None, id="read for viewing"),
        pytest.param(
            {"logistics:read"}, "logistics", "CREATE", "logistics:write", id="read is not for creating"
        ),
        pytest.param(
            {"logistics:read"}, "logistics", "UPDATE", "logistics:write", id="read is not for changing"
        ),
        pytest.param(
            {"logistics:read"}, "logistics", "DELETE", "logistics:write", id="read is not for removing"
        ),
        pytest.param(
            {"logistics:read"}, "logistics", "APPROVE", "logistics:write", id="nor for other actions"
        ),
        pytest.param(
            {"logistics:read"}, "logistics", "view", "logistics:write", id="actions have one spelling"
        ),
        pytest.param(
            {"logistics:write"}, "logistics", "VIEW", "logistics:read", id="write is not for viewing"
        ),
        pytest.param({"logistics:write"}, "logistics", "UPDATE", None, id="write for changing"),
        pytest.param({"logistics:write"}, "logistics", "APPROVE", None, id="write for other actions"),
        pytest.param({"logistics:read"}, "integration", "VIEW", "integration:read", id="another area"),
        pytest.param(
            {"Logistics:read"}, "logistics", "VIEW", "logistics:read", id="scopes have one spelling"
        ),
        pytest.param({"logistic"}, "logistics", "VIEW", "logistics:read", id="a part of a scope"),
        pytest.param({"records:read"}, "logistics", "VIEW", None, id="every area"),
        pytest.param({"records:read"}, "logistics", "UPDATE", "logistics:write", id="every area, read only"),
        pytest.param({"records:write"}, "integration", "DELETE", None, id="every area, write"),
        pytest.param(
            {"records:write"}, "integration", "VIEW", "integration:read", id="every area, write only"
        ),
        pytest.param(
            {"records:read"}, "security", "VIEW", "security:read", id="security is named or not meant"
        ),
        pytest.param({"records:write"}, "security", "CREATE", "security:write", id="nor written"),
        pytest.param({"security:write"}, "security", "CREATE", None, id="security by name"),
        pytest.param(set(), "logistics", "VIEW", "logistics:read", id="narrowed to nothing"),
        pytest.param(
            {*OPENID_SCOPES}, "logistics", "VIEW", "logistics:read", id="scopes that are not of records"
        ),
    ],
)
def test_a_scope_is_missing_or_not(
    limits: set[str] | None, area: str, action: str, missing: str | None
) -> None:
    assert find_missing_scope(None if limits is None else frozenset(limits), area, action) == missing


@pytest.mark.parametrize(
    ("client_scopes", "area", "missing"),
    [
        (None, "logistics", "logistics:write"),
        (("records:read", "records:write"), "logistics", "records:write"),
        (("records:write", "logistics:write"), "logistics", "logistics:write"),
        (("records:read",), "logistics", "logistics:write"),
        (("records:write",), "security", "security:write"),
    ],
)
def test_the_scope_named_is_one_that_the_client_may_request(
    client_scopes: tuple[str, ...] | None, area: str, missing: str
) -> None:
    limits = frozenset({"records:read"})
    assert find_missing_scope(limits, area, "UPDATE", client_scopes) == missing


@given(
    st.lists(st.sampled_from([*KNOWN, "wonderland", "logistics:admin"])).map(" ".join),
    st.none() | st.lists(st.sampled_from(KNOWN)).map(tuple),
    st.sampled_from(AREAS),
    st.sampled_from(ACTIONS),
)
def test_a_narrowed_token_does_nothing_that_its_scopes_do_not_name(
    scope: str, client_scopes: tuple[str, ...] | None, area: str, action: str
) -> None:
    limits = limits_of(scope, client_scopes)
    if find_missing_scope(limits, area, action) is not None:
        assert limits is not None, "a token that is not narrowed lacks nothing"
        return
    if limits is None:
        assert not {*parse(scope), *(client_scopes or ())}.difference(OPENID_SCOPES), "it names no records"
        return
    verb = "read" if action == "VIEW" else "write"
    names = {f"{area}:{verb}"} | ({f"records:{verb}"} if area != "security" else set())
    assert names & {*parse(scope)}, "the token names it"
    assert client_scopes is None or names & {*client_scopes}, "the client may request it"


@given(st.data(), st.none() | st.lists(st.sampled_from(KNOWN)).map(tuple))
def test_asking_for_less_gives_no_more(data: st.DataObject, client_scopes: tuple[str, ...] | None) -> None:
    granted = data.draw(st.lists(st.sampled_from(RECORD_SCOPES), unique=True, min_size=1))
    fewer = data.draw(st.lists(st.sampled_from(granted), unique=True, min_size=1))
    more, less = (limits_of(" ".join(scopes), client_scopes) for scopes in (granted, fewer))
    assert less is not None
    assert more is not None
    assert less <= more


@given(st.lists(st.sampled_from(RECORD_SCOPES)), st.lists(st.sampled_from(OPENID_SCOPES)))
def test_a_client_with_record_scopes_never_gets_a_token_that_is_not_narrowed(
    registered: list[str], requested: list[str]
) -> None:
    limits = limits_of(" ".join(requested), tuple(registered))
    assert limits == (frozenset() if registered else None)
