"""What a scope lets an application do, in the words of the consent page. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from runtime.permissions.token_scopes import limits_of, parse

_TEXTS: Final[Mapping[str, str]] = {
    "openid": "know who you are",
    "profile": "see your user ID",
    "email": "see your e-mail address",
    "offline_access": "stay signed in while you are away",
}
_VERBS: Final[Mapping[str, str]] = {"read": "read", "write": "create, change and delete"}


_EVERYTHING: Final = "do everything that you may do"


def describe_scopes(scope: str, client_scopes: Sequence[str] | None) -> list[str]:
    """Describe what a token with a scope lets a client do: everything, where nothing narrows it."""
    texts = [_describe(one) for one in parse(scope)]
    return texts if limits_of(scope, client_scopes) is not None else [*texts, _EVERYTHING]


def _describe(scope: str) -> str:
    """Describe a scope; one that has no description is shown as it is."""
    if scope in _TEXTS:
        return _TEXTS[scope]
    area, colon, right = scope.partition(":")
    if not colon or right not in _VERBS:
        return scope
    records = "records" if area == "records" else f"records of the area {area}"
    return f"{_VERBS[right]} {records}, as far as you may ({scope})"
