"""AgentConfig, from runtime/system/specs/gateway/agent_config.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class AgentConfigContext(Strict):
    """Part of AgentConfig."""

    order: int
    role: Literal["system", "user"]
    content: Annotated[str, Field(max_length=20000)]


class AgentConfig(Strict):
    """An agent as it is configured."""

    id: ObjectIdText | None = None
    ref_name: Annotated[str, Field(max_length=200, min_length=1)]
    name: Annotated[str | None, Field(max_length=200)] = None
    llm_config_ref: Annotated[str | None, Field(max_length=200)] = None
    context: Annotated[list[AgentConfigContext] | None, Field(max_length=100)] = None
    enabled_tools: Annotated[list[Annotated[str, Field(max_length=64)]] | None, Field(max_length=200)] = None
    version: Annotated[int | None, Field(ge=1)] = None
