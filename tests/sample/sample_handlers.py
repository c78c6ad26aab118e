"""Handlers of the sample's hand-written endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from runtime.call import Call
from runtime.contract.forms import Parameters
from runtime.storage.wire import Json
from sample_generated.models.greeting_request import GreetingRequest
from sample_generated.models.visit_request import VisitRequest


async def greet(
    call: Call, body: GreetingRequest, *, id_: str, times: int, since: date | None, x_tone: str | None
) -> Mapping[str, Any]:
    """As often and in the tone asked for."""
    said = f"hello {body.name} " * times
    return {"text": f"{said}{id_} {since} {x_tone}"}


async def forget(call: Call, *, id_: str) -> None:
    """Nothing is kept."""


async def opening(call: Call) -> Mapping[str, Any]:
    """Always."""
    return {"text": "always", "at": "2026-01-01T00:00:00Z"}


async def begin_stocktaking(call: Call) -> None:
    """Nothing to count."""


async def show_visit(call: Call, body: Parameters[VisitRequest], *, cookie: str | None = None) -> Json[None]:
    """Show what was sent."""
    text = f"{body.get('visitor_name')} {body.get_all('guest')} {sorted(body.repeated)} {cookie}"
    return Json(text.encode(), headers={"Content-Type": "text/html"})


async def accept_visit(
    call: Call, body: Parameters[VisitRequest], *, cookie: str | None = None
) -> Json[None]:
    """Send visitors on."""
    return Json(b"", 303, {"Location": f"/shop/visit?visitor_name={body.get('visitor_name')}"})


async def register_visitor(call: Call, body: VisitRequest) -> Mapping[str, Any]:
    """Greet the visitor."""
    return {"text": f"hello {body.visitor_name} and {body.guest}", "at": "2026-01-01T00:00:00Z"}
