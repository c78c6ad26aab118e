"""The query gateway, tools, and the ontology."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.settings.families import AGENT_TENANT, MCP_CLIENT, Groups
from runtime.settings.row import Rows, row


class ToolSettings(Rows):
    """The query gateway, and tools for programs and AI assistants."""

    gateway_executes: bool = row(
        "feature.queryGateway.execution.enabled",
        False,
        "Whether the query gateway executes queries with expand(…); else it checks them and answers 501",
    )
    max_deletions: Annotated[int, Field(ge=1, le=2000)] = row(
        "service.queryGateway.deleteMany.maxMatches",
        2000,
        "Most records that one request of the query gateway deletes",
    )
    agent_tenants: Groups = row(AGENT_TENANT.alias, {}, "What tools may do in a realm, each of its own")
    mcp_traffic_logging: Literal["NONE", "ALL"] = row(
        "mcp.server.traffic-logging", "NONE", "ALL: log the messages of MCP clients and their answers"
    )
    mcp_read_only: bool = row(
        "mcp.server.read-only", False, "Whether MCP clients may only use tools that read"
    )
    mcp_max_answer_bytes: Annotated[int, Field(ge=4096, le=16 * 2**20)] = row(
        "mcp.server.max-answer-bytes", 102_400, "Most bytes of an answer of a tool to an MCP client"
    )
    mcp_client: Groups = row(MCP_CLIENT.alias, {}, "MCP servers elsewhere, each with settings of its own")
    mcp_exposes_resources: bool = row(
        "mcp.client.expose-resources-as-tools",
        False,
        "Whether the resources of MCP servers elsewhere are offered as two tools",
    )


class OntologySettings(Rows):
    """The ontology: how records are connected."""

    ontology_enabled: bool = row(
        "ontology.enabled", False, "Whether edges are stored for fields with a predicate, and can be queried"
    )
    ontology_max_edges: Annotated[int, Field(ge=100, le=100_000)] = row(
        "ontology.max-edges",
        10_000,
        "Most edges that one transaction changes, with all that follows, and that one answer looks at",
    )
    ontology_list_expands: bool = row(
        "feature.ontologyList.aggregation.enabled",
        False,
        "Whether the lists of ontology routes embed records with `expand`",
    )
