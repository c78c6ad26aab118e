"""Agent, from runtime/system/specs/gateway/agent.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import RecordInput, Strict


class AgentContext(Strict):
    """Part of Agent."""

    order: int
    role: Literal["system", "user"]
    content: Annotated[str, Field(max_length=20000)]


class Agent(RecordInput):
    """A persona for an AI assistant, and the tools that it may use."""

    name: Annotated[str | None, Field(max_length=200)] = None
    llm_config_ref: Annotated[str | None, Field(max_length=200)] = None
    context: Annotated[list[AgentContext] | None, Field(max_length=100)] = None
    enabled_tools: Annotated[list[Annotated[str, Field(max_length=64)]] | None, Field(max_length=200)] = None
