"""Aggregates of the example service, asked for in process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from generated.record_types import CATALOG
from runtime.access.guard import open_call
from runtime.contract.aggregates import AggregateBody
from runtime.query import aggregate_records
from tests.http.world import World

Aggregate = Callable[..., dict[str, Any]]


def aggregate_in(world: World, kind: str, caller: str = "acme", **body: Any) -> dict[str, Any]:
    """The answer to an aggregate, in the name of a caller. Raises what the service would."""
    service, record_type = world.app.state.service, CATALOG[kind]

    async def ask() -> bytes:
        call = await open_call(service, world.tokens[caller], None, "test", record_type.area)
        return (await aggregate_records(call, record_type, AggregateBody.model_validate(body))).body

    assert world.client.portal is not None
    answer: dict[str, Any] = orjson.loads(world.client.portal.call(ask))
    return answer
