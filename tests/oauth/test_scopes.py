"""Which scopes a request of a client is granted."""

from __future__ import annotations

import pytest

from runtime.client import Client
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.scopes import grant_scopes
from runtime.permissions.token_scopes import known_scopes

KNOWN = known_scopes(["logistics", "security"])


def client(*scopes: str) -> Client:
    return Client("1", "main", "billing", scopes=scopes or None)


@pytest.mark.parametrize(
    ("registered", "requested", "granted"),
    [
        pytest.param((), None, "", id="nothing registered, nothing requested"),
        pytest.param(
            (), "openid logistics:read", "openid logistics:read", id="a client that may request any"
        ),
        pytest.param(("openid", "logistics:read"), None, "openid logistics:read", id="those of the client"),
        pytest.param(("openid", "logistics:read"), "", "openid logistics:read", id="empty is not sent"),
        pytest.param(("openid", "logistics:read"), "openid", "openid", id="fewer"),
        pytest.param(
            ("openid", "records:read"), "records:read openid", "records:read openid", id="their order"
        ),
        pytest.param((), "openid openid", "openid", id="repeated"),
        pytest.param(("openid", "warehouse:read"), None, "openid", id="an area that is gone is not granted"),
    ],
)
def test_scopes_are_granted(registered: tuple[str, ...], requested: str | None, granted: str) -> None:
    assert grant_scopes(client(*registered), requested, KNOWN) == granted


@pytest.mark.parametrize(
    ("registered", "requested"),
    [
        pytest.param(("openid",), "logistics:read", id="not registered"),
        pytest.param(("openid", "logistics:read"), "openid logistics:write", id="one of two not registered"),
        pytest.param(("records:read",), "logistics:read", id="registered under another name"),
        pytest.param((), "wonderland:read", id="unknown"),
        pytest.param((), "system:read", id="an area without routes"),
        pytest.param(("wonderland:read",), "wonderland:read", id="registered, but unknown"),
        pytest.param((), "OpenID", id="another spelling"),
        pytest.param((), "openid  profile", id="two spaces"),
        pytest.param((), " openid", id="a space before"),
        pytest.param((), "openid ", id="a space after"),
        pytest.param((), "openid\tprofile", id="a tabulator"),
        pytest.param((), "openid\nprofile", id="a line break"),
        pytest.param((), 'openid"', id="a quote"),
        pytest.param((), "open\\id", id="a backslash"),
        pytest.param((), "öpenid", id="a letter beyond ASCII"),
        pytest.param((), "openid,profile", id="commas"),
    ],
)
def test_scopes_are_refused(registered: tuple[str, ...], requested: str) -> None:
    with pytest.raises(OAuthRefused) as refused:
        grant_scopes(client(*registered), requested, KNOWN)
    assert refused.value.error == "invalid_scope"
    assert len(refused.value.description) < 200
