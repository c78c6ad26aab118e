"""Rules of hand-written endpoints."""

from __future__ import annotations

from generator.spec_rules.rule import Rule, rule

_LINES = {
    "id": "logistics_track",
    "method": "get",
    "path": "/logistics/track/{code}",
    "summary": "Where a parcel is",
    "parameters": "{code: string}",
    "handler": "parcels.routes:track",
}


def _file(changes: dict[str, str]) -> str:
    lines = [f"{word}: {value}" for word, value in (_LINES | changes).items()]
    return "endpoints:\n  - " + "\n    ".join(lines) + "\n"


def _endpoint(number: str, title: str, bad: dict[str, str], good: dict[str, str] | None = None) -> Rule:
    return rule(number, title, _file(bad), _file(good or {}))


ROUTES = (
    _endpoint("070", "a method and path is answered once", {"path": "/logistics/countries/id/{code}"}),
    _endpoint("071", "path and parameters agree", {"path": "/logistics/track/{parcel}"}),
    _endpoint("072", "a handler names a function", {"handler": "parcels/routes.py"}),
    _endpoint(
        "073",
        "a body stands where there can be one",
        {"request": "Address"},
        {"method": "post", "request": "Address"},
    ),
    _endpoint(
        "074",
        "a public endpoint asks for no role",
        {"public": "true", "roles": "[clerk]"},
        {"public": "true"},
    ),
    _endpoint("075", "a status means what its place says", {"errors": "[200]"}, {"errors": "[404]"}),
    _endpoint("076", "a parameter can travel in its place", {"parameters": "{code: {list: string}}"}),
)
