"""AgentConfig, from runtime/system/specs/gateway/agent_config.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class AgentConfigContext(Strict):
    """Part of AgentConfig."""

    order: Annotated[int, Field(description="The place of the step.")]
    role: Annotated[Literal["system", "user"], Field(description="As whom it speaks.")]
    content: Annotated[str, Field(max_length=20000, description="The text.")]


class AgentConfig(Strict):
    """An agent as it is configured."""

    id: Annotated[ObjectIdText | None, Field(description="The id of the agent; ignored when it is sent.")] = (
        None
    )
    ref_name: Annotated[
        str,
        Field(max_length=200, min_length=1, description="The name by which it is addressed, as in X-Agent."),
    ]
    name: Annotated[str | None, Field(max_length=200, description="The name that people see.")] = None
    llm_config_ref: Annotated[
        str | None,
        Field(
            max_length=200,
            description="The name of a configuration or secret of the language model, never the secret itself.",
        ),
    ] = None
    context: Annotated[
        list[AgentConfigContext] | None,
        Field(
            max_length=100,
            description="The steps that define the persona; they are stored and returned by their order.",
        ),
    ] = None
    enabled_tools: Annotated[
        list[Annotated[str, Field(max_length=64)]] | None,
        Field(
            max_length=200,
            description="The tools that the agent may use; absent: all that the realm enables, empty: none.",
        ),
    ] = None
    version: Annotated[
        int | None, Field(ge=1, description="The version; if it is sent it must be the stored one.")
    ] = None
