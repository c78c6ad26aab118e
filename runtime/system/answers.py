"""The bodies that the service's own routes answer. Written by the generator; do not edit."""

from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict


class DomainContextBody(TypedDict):
    """Where a user belongs. Each member that is present limits what the user reads and writes."""

    tenantId: str
    defaultRealm: str
    orgRefName: NotRequired[str | None]
    accountId: NotRequired[str | None]
    dataSegment: NotRequired[int | None]


class CallerBody(TypedDict):
    """The authenticated caller in the realm of this call."""

    identity: str
    subject: str
    roles: list[str]
    realm: str
    domainContext: DomainContextBody


class ClientCredentialBody(TypedDict):
    """The credential of an OAuth client, whose rights the tokens have that the client gets for itself."""

    clientId: str
    subject: str
    roles: list[str]


class ClientSecretBody(TypedDict):
    """A new secret of an OAuth client."""

    clientId: str
    clientSecret: str


class CreatedWebhookBody(TypedDict):
    """A webhook that was created, with its secret."""

    id: Any
    refName: str
    secret: str


class RuleInForceSecurityURIBody(TypedDict):
    """Part of RuleInForce."""

    header: dict[str, str]
    body: dict[str, str]


class RuleInForceBody(TypedDict):
    """A permission rule as it is evaluated. Members of securityURI that match anything are omitted."""

    name: str
    description: NotRequired[str | None]
    source: Literal["specification", "record"]
    effect: Literal["ALLOW", "DENY"]
    priority: int
    finalRule: bool
    securityURI: RuleInForceSecurityURIBody
    filter: NotRequired[str | None]
    hiddenFields: list[str]
    holdsIn: dict[str, str]


class RuleVerdictBody(TypedDict):
    """How one rule was evaluated. Each rule that applied overrides the decision of those before it; a final rule ends the evaluation."""

    rule: RuleInForceBody
    matched: bool
    someRecords: NotRequired[bool | None]
    why: list[str]
    applied: bool
    decided: bool


class DecisionToldBody(TypedDict):
    """A refusal as it was decided, and how it would be decided now."""

    id: str
    verdict: Literal["DENY"]
    reason: str
    decidedAt: datetime
    realm: str
    requestId: str
    userId: str
    subject: str
    roles: list[str]
    impersonatorUserId: NotRequired[str | None]
    impersonatorSubject: NotRequired[str | None]
    area: NotRequired[str | None]
    functionalDomain: NotRequired[str | None]
    action: NotRequired[str | None]
    resource: NotRequired[str | None]
    appliedRules: list[str]
    stillDenied: NotRequired[bool | None]
    reasons: list[str]
    rules: list[RuleVerdictBody]


class DeliveryStatusBody(TypedDict):
    """The state of a notification."""

    id: Any
    webhookId: str
    type: str
    recordId: NotRequired[str | None]
    recordVersion: NotRequired[int | None]
    occurredAt: datetime
    status: Literal["WAITING", "DELIVERED", "DEAD"]
    attempts: int
    nextAttemptAt: NotRequired[datetime | None]
    lastStatus: NotRequired[int | None]
    lastError: NotRequired[str | None]
    deliveredAt: NotRequired[datetime | None]


class DeliveryListBody(TypedDict):
    """Notifications of a webhook, the newest first. Those that have not been sent yet are only counted."""

    rows: list[DeliveryStatusBody]
    waiting: int


class EffectiveRulesBody(TypedDict):
    """The permission rules in force for the callers of a domain in a realm."""

    realm: str
    rules: list[RuleInForceBody]


class GroupProgressBody(TypedDict):
    """The tasks of a group that the caller may view, counted by status."""

    id: Any
    status: NotRequired[Literal["NEW", "RUNNING", "COMPLETE"] | None]
    total: int
    pending: int
    running: int
    success: int
    failed: int


class IntrospectionAnswerBody(TypedDict):
    """What a token permits (RFC 7662 section 2.2). For a token that is not active, nothing but `active` is returned."""

    active: bool
    scope: NotRequired[str | None]
    client_id: NotRequired[str | None]
    username: NotRequired[str | None]
    token_type: NotRequired[str | None]
    exp: NotRequired[int | None]
    iat: NotRequired[int | None]
    sub: NotRequired[str | None]
    aud: NotRequired[list[str] | None]
    iss: NotRequired[str | None]
    jti: NotRequired[str | None]


class KeySetKeyBody(TypedDict):
    """Part of KeySet."""

    kty: str
    n: str
    e: str
    kid: str
    use: str
    alg: str


class KeySetBody(TypedDict):
    """The public keys that verify access tokens (RFC 7517)."""

    keys: list[KeySetKeyBody]


class LoginAnswerBody(TypedDict):
    """The tokens of a login and the user they belong to."""

    accessToken: str
    refreshToken: str
    tokenType: str
    expiresIn: int
    expirationTime: datetime
    realm: str
    identity: str
    roles: list[str]


class PermissionAnswerAskedBody(TypedDict):
    """Part of PermissionAnswer."""

    identity: str
    roles: list[str]
    realm: str
    scope: dict[str, str]
    area: str
    functionalDomain: str
    action: str
    resource: NotRequired[str | None]


class PermissionAnswerAddedFilterBody(TypedDict):
    """Part of PermissionAnswer."""

    effect: Literal["ALLOW", "DENY"]
    rule: NotRequired[str | None]
    filter: NotRequired[str | None]
    resourceId: NotRequired[str | None]


class PermissionAnswerBody(TypedDict):
    """A permission decision and the rules behind it."""

    decision: Literal["ALLOW", "DENY"]
    reasons: list[str]
    asked: PermissionAnswerAskedBody
    winningRule: NotRequired[RuleInForceBody | None]
    rules: list[RuleVerdictBody]
    addedFilter: NotRequired[list[PermissionAnswerAddedFilterBody] | None]
    hiddenFields: list[str]


class PushedAnswerBody(TypedDict):
    """The name of a pushed request (RFC 9126)."""

    request_uri: str
    expires_in: int


class RegisteredClientBody(TypedDict):
    """A client as it was registered (RFC 7591 section 3.2.1)."""

    client_id: str
    client_id_issued_at: int
    client_secret: NotRequired[str | None]
    client_secret_expires_at: NotRequired[int | None]
    client_name: NotRequired[str | None]
    application_type: str
    redirect_uris: list[str]
    post_logout_redirect_uris: NotRequired[list[str] | None]
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: str
    scope: str
    jwks: NotRequired[Any | None]
    realm: NotRequired[str | None]


class ResourceMetadataBody(TypedDict):
    """What OAuth clients need to know about a protected resource (RFC 9728)."""

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]
    resource_documentation: NotRequired[str | None]


class RoleListBody(TypedDict):
    """A list of role names."""

    roles: list[str]


class ServerMetadataBody(TypedDict):
    """What OAuth clients need to know about this authorization server (RFC 8414, OpenID Connect Discovery)."""

    issuer: str
    authorization_endpoint: NotRequired[str | None]
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: NotRequired[str | None]
    revocation_endpoint: NotRequired[str | None]
    introspection_endpoint: NotRequired[str | None]
    end_session_endpoint: NotRequired[str | None]
    pushed_authorization_request_endpoint: NotRequired[str | None]
    registration_endpoint: NotRequired[str | None]
    scopes_supported: list[str]
    claims_supported: list[str]
    response_types_supported: list[str]
    response_modes_supported: NotRequired[list[str] | None]
    grant_types_supported: list[str]
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]
    code_challenge_methods_supported: NotRequired[list[str] | None]
    token_endpoint_auth_methods_supported: list[str]
    token_endpoint_auth_signing_alg_values_supported: list[str]
    revocation_endpoint_auth_methods_supported: NotRequired[list[str] | None]
    revocation_endpoint_auth_signing_alg_values_supported: NotRequired[list[str] | None]
    introspection_endpoint_auth_methods_supported: NotRequired[list[str] | None]
    introspection_endpoint_auth_signing_alg_values_supported: NotRequired[list[str] | None]
    require_pushed_authorization_requests: NotRequired[bool | None]
    authorization_response_iss_parameter_supported: NotRequired[bool | None]
    claims_parameter_supported: NotRequired[bool | None]
    request_parameter_supported: NotRequired[bool | None]
    request_uri_parameter_supported: NotRequired[bool | None]
    client_id_metadata_document_supported: NotRequired[bool | None]


class SessionBody(TypedDict):
    """Where a user is signed in: a browser, an application or a login."""

    id: str
    kind: Literal["browser", "application", "login"]
    clientId: NotRequired[str | None]
    clientName: NotRequired[str | None]
    scope: NotRequired[str | None]
    browser: NotRequired[str | None]
    signOn: NotRequired[str | None]
    begunAt: datetime
    lastUsedAt: datetime
    endsAt: datetime
    current: bool


class SessionListBody(TypedDict):
    """The sessions of a user."""

    rows: list[SessionBody]


class TokenAnswerBody(TypedDict):
    """Tokens (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3)."""

    access_token: str
    token_type: str
    expires_in: int
    scope: NotRequired[str | None]
    refresh_token: NotRequired[str | None]
    id_token: NotRequired[str | None]


class UserAccountBody(TypedDict):
    """A user account."""

    userId: str
    subject: str
    authProviderName: str
    roles: list[str]
    domainContext: DomainContextBody
    disabled: bool
    forceChangePassword: bool
    emailOfResponsibleParty: NotRequired[str | None]
    description: NotRequired[str | None]
    realms: NotRequired[list[str] | None]
    realmRoles: NotRequired[dict[str, list[str]] | None]
    realmRegEx: NotRequired[str | None]
    area2RealmOverrides: NotRequired[dict[str, str] | None]
    impersonationEnabled: bool
    impersonateFilterScript: NotRequired[str | None]


class UserExistenceBody(TypedDict):
    """Whether a user exists among those the caller may manage."""

    exists: bool


class UserInfoBody(TypedDict):
    """Claims about the user of an access token (OpenID Connect Core)."""

    sub: str
    iss: str
    preferred_username: NotRequired[str | None]
    groups: NotRequired[list[str] | None]
    email: NotRequired[str | None]


class UserNamesBody(TypedDict):
    """The user id and the subject of a user."""

    userId: str
    subject: str


class UserPageBody(TypedDict):
    """A page of the users that the caller may manage, sorted by user id ignoring case."""

    offset: int
    limit: int
    rows: list[UserAccountBody]
    rowCount: int


class WebhookStateBody(TypedDict):
    """Whether a webhook is notified."""

    id: Any
    active: bool
