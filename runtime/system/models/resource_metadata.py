"""ResourceMetadata, from runtime/system/specs/security/resource_metadata.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class ResourceMetadata(SnakeCase):
    """What OAuth clients need to know about a protected resource (RFC 9728)."""

    resource: Annotated[str, Field(description="The resource indicator.")]
    authorization_servers: Annotated[list[str], Field(description="The issuers of tokens for it.")]
    scopes_supported: Annotated[list[str], Field(description="Scopes to ask for.")]
    bearer_methods_supported: Annotated[list[str], Field(description="How tokens are sent.")]
    resource_documentation: Annotated[str | None, Field(description="A page for developers.")] = None
