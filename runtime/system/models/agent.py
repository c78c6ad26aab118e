"""Agent, from runtime/system/specs/gateway/agent.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import RecordInput, Strict


class AgentContext(Strict):
    """Part of Agent."""

    order: Annotated[int, Field(description="The place of the step.")]
    role: Annotated[Literal["system", "user"], Field(description="As whom it speaks.")]
    content: Annotated[str, Field(max_length=20000, description="The text.")]


class Agent(RecordInput):
    """A persona for an AI assistant, and the tools that it may use."""

    name: Annotated[str | None, Field(max_length=200, description="The name that people see.")] = None
    llm_config_ref: Annotated[
        str | None,
        Field(
            max_length=200,
            description="The name of a configuration or secret of the language model, never the secret itself.",
        ),
    ] = None
    context: Annotated[
        list[AgentContext] | None,
        Field(max_length=100, description="The steps that define the persona, in their order."),
    ] = None
    enabled_tools: Annotated[
        list[Annotated[str, Field(max_length=64)]] | None,
        Field(
            max_length=200,
            description="The tools that the agent may use. Absent: all that the realm enables.",
        ),
    ] = None
