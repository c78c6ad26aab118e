"""ResourceMetadata, from runtime/system/specs/security/resource_metadata.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class ResourceMetadata(SnakeCase):
    """What OAuth clients need to know about a protected resource (RFC 9728)."""

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]
    resource_documentation: str | None = None
