"""The service's own records, as they are stored. Written by the generator; do not edit."""

from datetime import datetime
from typing import Any, Literal, TypedDict

from runtime.model.documents import RecordDocument


class DomainContextDocument(TypedDict, total=False):
    """Where a user belongs. Each member that is present limits what the user reads and writes."""

    tenantId: str
    defaultRealm: str
    orgRefName: str
    accountId: str
    dataSegment: int


class AgentContextDocument(TypedDict, total=False):
    """Part of Agent."""

    order: int
    role: Literal["system", "user"]
    content: str


class AgentDocument(RecordDocument, total=False):
    """A persona for an AI assistant, and the tools that it may use."""

    name: str
    llmConfigRef: str
    context: list[AgentContextDocument]
    enabledTools: list[str]


class AuthorizationCodeDocument(RecordDocument, total=False):
    """A code by which a client gets the tokens of a user who signed in. Only its hash is stored, as the refName. It is valid once and for five minutes; one that was used is kept for as long as its tokens can live, to notice a second use."""

    clientId: str
    clientRecord: str
    redirectUri: str
    subject: str
    tokenEpoch: int
    scope: str
    limited: bool
    resources: list[str]
    challenge: str
    nonce: str
    authTime: datetime
    showAuthTime: bool
    signOn: str
    used: bool
    validUntil: datetime
    expiresAt: datetime


class CompletionTaskDocument(RecordDocument, total=False):
    """Work that finishes later. Who does it completes the task; who waits for it reads it."""

    group: dict[str, Any]
    details: str
    status: Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"]
    createdDate: datetime
    completedDate: datetime
    completion: str
    result: str


class CompletionTaskGroupDocument(RecordDocument, total=False):
    """Tasks that belong together, such as the parts of one large job. The application decides when a group is RUNNING and COMPLETE; the service never changes it."""

    description: str
    status: Literal["NEW", "RUNNING", "COMPLETE"]
    createdDate: datetime
    completedDate: datetime


class ConsentGrantDocument(TypedDict, total=False):
    """Part of Consent."""

    resource: str
    scopes: list[str]


class ConsentDocument(RecordDocument, total=False):
    """The scopes that a user has granted to a client, so that they are not asked again."""

    subject: str
    clientId: str
    clientRecord: str
    scopes: list[str]
    resources: list[str]
    grants: list[ConsentGrantDocument]
    roles: list[str]
    writerRoles: list[str]
    actsAsOthers: bool


class CredentialImpersonationGranterDocument(TypedDict, total=False):
    """Part of Credential."""

    subject: str
    realm: str
    roles: list[str]
    operator: bool


class CredentialDocument(RecordDocument, total=False):
    """A user id with its password hash, roles and domain context."""

    userId: str
    description: str
    emailOfResponsibleParty: str
    domainContext: DomainContextDocument
    roles: list[str]
    disabled: bool
    forceChangePassword: bool
    realms: list[str]
    realmRegEx: str
    realmRoles: dict[str, list[str]]
    area2RealmOverrides: dict[str, str]
    impersonationEnabled: bool
    impersonateFilterScript: str
    impersonationGranter: CredentialImpersonationGranterDocument
    subject: str
    credentialType: Literal["OAUTH"]
    issuer: str
    authProviderName: str
    lastUpdate: datetime
    loginName: str
    passwordHash: str
    hashingAlgorithm: str
    tokenEpoch: int


class DecisionDocument(RecordDocument, total=False):
    """A refusal (403) and the rules behind it, for administrators of the caller's domain."""

    verdict: Literal["DENY"]
    reason: str
    decidedAt: datetime
    realm: str
    requestId: str
    userId: str
    subject: str
    callerRoles: list[str]
    impersonatorUserId: str
    impersonatorSubject: str
    askedArea: str
    askedDomain: str
    askedAction: str
    resource: str
    appliedRules: list[str]
    expiresAt: datetime


class ErasureDocument(RecordDocument, total=False):
    """That everything of a tenant was erased. It holds nothing of the tenant, whose id is known by a digest only."""

    tenantDigest: str
    startedAt: datetime
    finishedAt: datetime
    removed: dict[str, int]


class IdempotencyKeyDocument(RecordDocument, total=False):
    """A request that takes effect once, and its response; stored for 24 hours."""

    request: str
    state: Literal["IN_FLIGHT", "DONE"]
    holder: str
    leaseUntil: datetime
    expiresAt: datetime
    isBegun: bool
    parts: dict[str, str]
    rights: str
    status: int
    headers: dict[str, str]
    body: str


class ImportProfileColumnMappingLookupDocument(TypedDict, total=False):
    """Part of ImportProfile."""

    lookupCollection: str
    lookupMatchField: str
    lookupReturnField: str
    onNotFound: Literal["FAIL", "NULL", "PASSTHROUGH"]


class ImportProfileColumnMappingTransformationRegexDocument(TypedDict, total=False):
    """Part of ImportProfile."""

    pattern: str
    replacement: str


class ImportProfileColumnMappingTransformationDocument(TypedDict, total=False):
    """Part of ImportProfile."""

    trim: bool
    case: Literal["UPPER", "LOWER", "TITLE"]
    regex: ImportProfileColumnMappingTransformationRegexDocument
    default: str
    dateFormat: str


class ImportProfileColumnMappingDocument(TypedDict, total=False):
    """Part of ImportProfile."""

    sourceColumn: str
    targetField: str
    valueMappings: dict[str, str]
    unmappedValueBehavior: Literal["FAIL", "PASSTHROUGH", "NULL"]
    lookup: ImportProfileColumnMappingLookupDocument
    rowValueResolverName: str
    listSeparator: str
    transformations: ImportProfileColumnMappingTransformationDocument


class ImportProfileDocument(RecordDocument, total=False):
    """A mapping of the columns of a CSV file to fields of records, validated when it is saved and again when a file is read with it. Steps for each cell, or each element of one that lists several, in order: trim, value mappings, case, regex, default, date format, lookup, resolver, type."""

    description: str
    targetType: str
    columnMappings: list[ImportProfileColumnMappingDocument]
    intentColumn: str
    defaultIntent: Literal["INSERT", "UPDATE", "UPSERT", "SKIP"]
    headerModifiers: bool
    unmappedColumns: Literal["IGNORE", "FAIL"]
    dynamicAttributeStrategy: Literal["DOT_NOTATION", "JSON_COLUMN", "VERTICAL", "HYBRID"]
    dynamicAttributePrefix: str
    enableDynamicAttributeDiscovery: bool
    dynamicAttributeMergeStrategy: Literal["REPLACE", "MERGE", "APPEND"]


class ImportRowDocument(RecordDocument, total=False):
    """An analysed row of a CSV file; deleted when its session expires."""

    sessionId: str
    rowNumber: int
    intent: Literal["INSERT", "UPDATE", "SKIP"]
    asked: Literal["INSERT", "UPDATE", "UPSERT", "SKIP"]
    isFailed: bool
    report: str
    further: str
    size: int
    needsReview: bool
    values: Any
    attributes: Any
    expiresAt: datetime


class ImportSessionDocument(RecordDocument, total=False):
    """The analysis of a CSV file and the progress of its commit; stored for 24 hours."""

    recordType: str
    realm: str
    subject: str
    state: Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]
    parameters: dict[str, str]
    columns: list[str]
    dialect: Any
    terms: Any
    totalRows: int
    validRows: int
    errorRows: int
    insertCount: int
    updateCount: int
    skipCount: int
    isInWaves: bool
    position: int
    inserted: int
    updated: int
    skipped: int
    failed: int
    holder: str
    leaseUntil: datetime
    beat: int
    expiresAt: datetime


class LoginAttemptDocument(RecordDocument, total=False):
    """The failed and unfinished logins of one user or one address, in the default realm."""

    key: str
    failures: list[datetime]
    pending: list[datetime]
    expiresAt: datetime


class McpMessageDocument(RecordDocument, total=False):
    """An answer that waits for the worker which holds the stream of its session."""

    session: str
    text: str
    expiresAt: datetime


class McpSessionDocument(RecordDocument, total=False):
    """A stream of events that an MCP client of the first era holds open. Its refName is the hash of the session id."""

    subject: str
    actor: str
    protocolVersion: str
    waitingCount: int
    waitingBytes: int
    expiresAt: datetime


class OauthClientDocument(RecordDocument, total=False):
    """An application that gets tokens here (OAuth 2.0, OpenID Connect): for itself, or for users that sign in. `recordsmith clients create` creates it together with its secret and the credential whose rights its own tokens have; over the API these are further requests."""

    clientId: str
    clientName: str
    active: bool
    applicationType: Literal["web", "native"]
    publicClient: bool
    redirectUris: list[str]
    postLogoutRedirectUris: list[str]
    allowedGrantTypes: list[Literal["authorization_code", "client_credentials", "refresh_token"]]
    allowedScopes: list[str]
    allowedResources: list[str]
    tokenEndpointAuthMethod: Literal["client_secret_basic", "client_secret_post", "none", "private_key_jwt"]
    jwks: Any
    requirePkce: bool
    requireConsent: bool
    allTenants: bool
    writerRoles: list[str]
    selfRegistered: bool
    unusedUntil: datetime
    subject: str
    realm: str
    clientSecretHash: str
    previousSecretHash: str


class OntologyEdgeSourceDocument(TypedDict, total=False):
    """Part of OntologyEdge."""

    type: str
    id: Any


class OntologyEdgeDestinationDocument(TypedDict, total=False):
    """Part of OntologyEdge."""

    type: str
    id: Any


class OntologyEdgeProvenanceDocument(TypedDict, total=False):
    """Part of OntologyEdge."""

    rule: Literal["field", "inverse", "symmetric", "subPropertyOf", "transitive", "chain"]
    of: list[str]


class OntologyEdgeDocument(RecordDocument, total=False):
    """An edge of the ontology: that a record is connected with another, stated by a field or inferred."""

    predicate: str
    source: OntologyEdgeSourceDocument
    destination: OntologyEdgeDestinationDocument
    inferred: bool
    provenance: OntologyEdgeProvenanceDocument
    timestamp: datetime


class OntologyLockDocument(RecordDocument, total=False):
    """What writers of edges that can be joined write to, so that no two of a tenant pass each other."""

    group: str


class PermissionRuleSecurityURIHeaderDocument(TypedDict, total=False):
    """Part of PermissionRule."""

    identity: str
    area: str
    functionalDomain: str
    action: str


class PermissionRuleSecurityURIBodyDocument(TypedDict, total=False):
    """Part of PermissionRule."""

    realm: str
    accountNumber: str
    tenantId: str
    dataSegment: str
    ownerId: str
    resourceId: str


class PermissionRuleSecurityURIDocument(TypedDict, total=False):
    """Part of PermissionRule."""

    header: PermissionRuleSecurityURIHeaderDocument
    body: PermissionRuleSecurityURIBodyDocument


class PermissionRuleDocument(RecordDocument, total=False):
    """A permission rule. It applies only to callers inside its own data domain. Patterns ignore case; * matches any characters, ? one character, and an absent pattern is *. Rules are evaluated by ascending priority, then name."""

    name: str
    description: str
    securityURI: PermissionRuleSecurityURIDocument
    effect: str
    priority: int
    finalRule: bool
    filter: str
    hiddenFields: list[str]
    enabled: bool


class PlantedSeedPlantedDocument(TypedDict, total=False):
    """Part of PlantedSeed."""

    refName: str
    version: int


class PlantedSeedDocument(RecordDocument, total=False):
    """The seeds of one record type (its refName) that a tenant has received, so that none is planted twice."""

    planted: list[PlantedSeedPlantedDocument]


class PushedRequestDocument(RecordDocument, total=False):
    """An authorization request that a client sent ahead (RFC 9126). Its refName is the hash of the request URI."""

    clientId: str
    clientRecord: str
    parameters: Any
    expiresAt: datetime


class RealmDocument(RecordDocument, total=False):
    """A realm other than the default one, by refName, and its database."""

    description: str
    database: str
    active: bool


class RecordMigrationDocument(RecordDocument, total=False):
    """The change of the stored records of a realm from one shape to the next, or one that is written by hand: who began it, when, and how far it is."""

    database: str
    recordType: str
    number: int
    phase: Literal["PREPARE", "EXPAND", "MOVE", "DONE", "BACK", "SHARE", "UNDONE"]
    steps: list[str]
    fromShape: str
    toShape: str
    position: Any
    moved: int
    checked: int
    acceptedLoss: list[str]
    startedBy: str
    startedDate: datetime
    finishedDate: datetime
    seconds: float


class RefreshFamilyDocument(RecordDocument, total=False):
    """The chain of refresh tokens of one login, or of what a user granted to a client. Only hashes are stored. A client without refresh tokens has one too, for as long as its access token lives."""

    subject: str
    current: str
    previous: str
    rotatedAt: datetime
    revoked: bool
    clientId: str
    clientRecord: str
    scope: str
    limited: bool
    resources: list[str]
    authTime: datetime
    showAuthTime: bool
    signOn: str
    code: str
    lastUsedAt: datetime
    expiresAt: datetime


class RemovedUserDocument(RecordDocument, total=False):
    """A user id that cannot be reused, because records, rules and filters may still name it."""

    userId: str
    subject: str
    loginName: str
    removedAt: datetime


class RenameDocument(RecordDocument, total=False):
    """Renamed records whose old names may still be copied into references; deleted once a worker has checked the copies."""

    target: str
    targets: list[str]
    refNames: list[str]
    displayNames: list[str]
    dueAt: datetime
    holder: str


class RequestTallyDocument(RecordDocument, total=False):
    """How many requests one user or one tenant has sent in a window, in the default realm."""

    key: str
    count: int
    expiresAt: datetime


class RestorationDocument(RecordDocument, total=False):
    """A backup that is being restored, in the default realm; deleted once everything is stored. A realm does not serve while it has one, unless it is about a single tenant. Its refName is the realm, or realm and tenant."""

    realm: str
    tenant: str
    backup: str
    startedAt: datetime
    beat: datetime


class RevisionChangeDocument(TypedDict, total=False):
    """Part of Revision."""

    path: str
    before: Any
    after: Any
    beforeBytes: int
    afterBytes: int
    hidden: bool


class RevisionDocument(RecordDocument, total=False):
    """One write of an audited record, stored in the same transaction as the record."""

    recordType: str
    recordId: str
    recordVersion: int
    action: Literal["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]
    writtenAt: datetime
    userId: str
    subject: str
    impersonatorUserId: str
    impersonatorSubject: str
    actingOnBehalfOfUserId: str
    actingOnBehalfOfSubject: str
    agentRefName: str
    requestId: str
    omitted: int
    changes: list[RevisionChangeDocument]


class ServiceTokenDocument(RecordDocument, total=False):
    """A long-lived access token of a user, created by `recordsmith token create`. The token itself is not stored."""

    subject: str
    userId: str
    description: str
    revoked: bool
    expiresAt: datetime


class ServiceWorkerDocument(RecordDocument, total=False):
    """A process that uses the store: the shapes it knows, and the phases of migrations it has seen."""

    shapes: list[str]
    seen: list[str]
    aliveUntil: datetime


class SignOnDocument(RecordDocument, total=False):
    """A browser in which a user signed in, for all applications (single sign-on). Only the hash of its cookie is stored."""

    subject: str
    cookie: str
    tokenEpoch: int
    authTime: datetime
    lastUsedAt: datetime
    browser: str
    revoked: bool
    expiresAt: datetime


class SpentTokenDocument(RecordDocument, total=False):
    """A token that is not accepted any more before it expires: an access token that its client revoked, or a client assertion that was used. Its refName is a hash of what identifies it."""

    expiresAt: datetime


class StoredShapeDocument(RecordDocument, total=False):
    """How the records of a record type (its refName) are stored in this realm: their fields, types and states."""

    number: int
    fingerprint: str
    shape: str
    earlier: list[str]
    alike: list[str]


class WebhookDocument(RecordDocument, total=False):
    """An address that is notified of changes of records, as far as the owner of the webhook may view them. Created at /integration/webhooks/create, which returns the secret that signs the notifications."""

    recordTypes: list[str]
    events: list[Literal["created", "updated", "deleted"]]
    filter: str
    address: str
    active: bool
    description: str
    ownerUserId: str
    ownerSubject: str
    ownerRealm: str
    pausedReason: Literal["TOO_MANY_WAITING", "GONE", "OWNER", "FILTER"]
    pausedDate: datetime
    secret: str
    previousSecret: str
    previousSecretUntil: datetime


class WebhookDeliveryDocument(RecordDocument, total=False):
    """A change of a record to be sent to a webhook, stored in the transaction of the write."""

    webhookId: str
    line: str
    sequence: int
    type: str
    recordType: str
    recordId: str
    op: Literal["created", "updated", "deleted", "test"]
    recordVersion: int
    document: Any
    isTrimmed: bool
    occurredAt: datetime
    status: Literal["WAITING", "DELIVERED", "DEAD"]
    dueAt: datetime
    holder: str
    isBlocked: bool
    attempts: int
    lastStatus: int
    lastError: str
    deliveredAt: datetime
    giveUpAt: datetime
    expiresAt: datetime
