"""The path of an agent that was given the list of tools and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp import Client

from tests.http.world import Document, World
from tests.mcp_server.talking import MODES, talk


@pytest.mark.parametrize("mode", MODES)
def test_an_agent_finds_its_way(world: World, mode: str) -> None:
    """It finds the type, reads its schema, mends a query and a state by what the errors say, and counts."""
    customer = world.make("Customer", refName=f"FLOWERS-{mode}")
    for _each in range(3):
        world.make("Order", customer={"entityId": customer["id"]})

    async def walk(client: Client) -> Document:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        begin = next(name for name, tool in tools.items() if "Begin here" in (tool.description or ""))

        async def use(name: str, **arguments: Any) -> tuple[bool, Document]:
            assert set(arguments) <= set(tools[name].input_schema["properties"])
            assert set(tools[name].input_schema.get("required", ())) <= set(arguments)
            answer = await client.call_tool(name, arguments)
            return bool(answer.is_error), answer.structured_content or {}

        _failed, types = await use(begin)
        (order,) = [one for one in types["rootTypes"] if one["simpleName"] == "Order"]
        root = order["className"]

        # By the advice of its first mistake it reads the schema, and by the detail it finds the name.
        wrong = "custmer.entityRefName:FLOWERS*"
        failed, problem = await use("query_find", rootType=root, query=wrong)
        assert failed
        (uri,) = re.findall(r"service://schema/\S+\}", problem["advice"])
        schema = await client.read_resource(uri.replace("{rootType}", root))
        assert '"customer"' in schema.contents[0].text
        (right,) = re.findall(r"did you mean (customer[\w.]*)", problem["detail"])
        assert right.startswith("customer")
        query = f"customer.entityRefName:FLOWERS-{mode}"
        failed, found = await use("query_find", rootType=root, query=query)
        assert not failed
        assert len(found["rows"]) == 3

        failed, groups = await use(
            "query_aggregate", rootType=root, query=query, groupBy=["status"], measures={"number": "count"}
        )
        assert not failed
        (group,) = groups["rows"]

        # A save into a state that cannot follow is mended by the states that the error allows.
        entity = found["rows"][0] | {"status": "DELIVERED"}
        failed, problem = await use("query_save", rootType=root, entity=entity)
        assert failed
        assert problem["code"] == "state.transition"
        failed, saved = await use(
            "query_save", rootType=root, entity=entity | {"status": problem["allowed"][0]}
        )
        assert not failed
        return {"number": group["number"], "status": saved["record"]["status"]}

    answer = talk(world, walk, mode=mode)
    assert answer["number"] == 3
    assert answer["status"] not in ("PENDING", "DELIVERED")
