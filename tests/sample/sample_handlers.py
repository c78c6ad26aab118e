"""Handlers of the sample's hand-written endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from runtime.call import Call
from sample_generated.models.greeting_request import GreetingRequest


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
