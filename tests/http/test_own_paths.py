"""The pages and documents of the service: the generator knows each, and lets no endpoint hide it."""

from __future__ import annotations

from starlette.routing import Route

from generated.app import create
from runtime.model.own_paths import OWN_PATHS
from runtime.settings import Settings


def test_no_page_can_be_hidden() -> None:
    pages = {route.path for route in create(Settings()).routes if isinstance(route, Route)}
    assert {"/", "/docs/page.js", "/openapi/{area}.json"} <= pages
    assert pages == set(OWN_PATHS)
