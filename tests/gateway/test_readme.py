"""The examples of runtime/gateway/README.md run as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from generated.tools import TOOLS
from tests.http.world import World

README = Path(__file__).parents[2] / "runtime" / "gateway" / "README.md"
TEXT = README.read_text("utf-8")
EXAMPLES = re.findall(r'^\{"tool": .*\}$', TEXT, re.MULTILINE)


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_of_a_tool_runs(world: World, example: str) -> None:
    said = json.loads(example)
    assert said["tool"] in {tool.name for tool in TOOLS}
    world.make("Shipment")
    answer = world.ask("POST /api/agent/execute", "acme-user", json=said)
    assert answer.status_code == 200, answer.text
    assert world.ask("POST /api/agent/execute", None, json=said).status_code == 401


def test_the_first_example_runs(world: World) -> None:
    found = re.search(r"-d '(\{.*\})'", TEXT)
    assert found is not None
    answer = world.ask("POST /api/query/find", "acme-user", json=json.loads(found[1]))
    assert answer.status_code == 200, answer.text
