"""ServerMetadata, from runtime/system/specs/security/server_metadata.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class ServerMetadata(SnakeCase):
    """What OAuth clients need to know about this authorization server (RFC 8414, OpenID Connect Discovery)."""

    issuer: str
    authorization_endpoint: str | None = None
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    revocation_endpoint: str | None = None
    introspection_endpoint: str | None = None
    end_session_endpoint: str | None = None
    pushed_authorization_request_endpoint: str | None = None
    registration_endpoint: str | None = None
    scopes_supported: list[str]
    claims_supported: list[str]
    response_types_supported: list[str]
    response_modes_supported: list[str] | None = None
    grant_types_supported: list[str]
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]
    code_challenge_methods_supported: list[str] | None = None
    token_endpoint_auth_methods_supported: list[str]
    token_endpoint_auth_signing_alg_values_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str] | None = None
    revocation_endpoint_auth_signing_alg_values_supported: list[str] | None = None
    introspection_endpoint_auth_methods_supported: list[str] | None = None
    introspection_endpoint_auth_signing_alg_values_supported: list[str] | None = None
    require_pushed_authorization_requests: bool | None = None
    authorization_response_iss_parameter_supported: bool | None = None
    claims_parameter_supported: bool | None = None
    request_parameter_supported: bool | None = None
    request_uri_parameter_supported: bool | None = None
    client_id_metadata_document_supported: bool | None = None
