"""What a scope lets an application do, in the words of the consent page and of the OpenAPI document. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from runtime.permissions.token_scopes import EVERY_AREA, limits_of, parse

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
    texts = [_describe_with_name(one) for one in parse(scope)]
    return texts if limits_of(scope, client_scopes) is not None else [*texts, _EVERYTHING]


def _describe_with_name(scope: str) -> str:
    return f"{describe_scope(scope)} ({scope})" if _is_about_records(scope) else describe_scope(scope)


def describe_scope(scope: str) -> str:
    """Describe a scope; one that has no description is shown as it is."""
    if scope in _TEXTS:
        return _TEXTS[scope]
    if not _is_about_records(scope):
        return scope
    area, _colon, verb = scope.partition(":")
    records = "records" if area == EVERY_AREA else f"records of the area {area}"
    return f"{_VERBS[verb]} {records}, as far as you may"


def _is_about_records(scope: str) -> bool:
    return scope not in _TEXTS and scope.partition(":")[2] in _VERBS
