"""Every record type and state graph. Written by the generator; do not edit."""

from runtime.model.record_type import Index, RecordType, Reference
from runtime.system.documents import (
    AgentDocument,
    AuthorizationCodeDocument,
    CompletionTaskDocument,
    CompletionTaskGroupDocument,
    ConsentDocument,
    CredentialDocument,
    DecisionDocument,
    ErasureDocument,
    IdempotencyKeyDocument,
    ImportProfileDocument,
    ImportRowDocument,
    ImportSessionDocument,
    LoginAttemptDocument,
    McpMessageDocument,
    McpSessionDocument,
    OauthClientDocument,
    OntologyEdgeDocument,
    OntologyLockDocument,
    PermissionRuleDocument,
    PlantedSeedDocument,
    PushedRequestDocument,
    RealmDocument,
    RecordMigrationDocument,
    RefreshFamilyDocument,
    RemovedUserDocument,
    RenameDocument,
    RequestTallyDocument,
    RestorationDocument,
    RevisionDocument,
    ServiceTokenDocument,
    ServiceWorkerDocument,
    SignOnDocument,
    SpentTokenDocument,
    StoredShapeDocument,
    WebhookDeliveryDocument,
    WebhookDocument,
)
from runtime.system.models.agent import Agent, AgentInput
from runtime.system.models.authorization_code import AuthorizationCode, AuthorizationCodeInput
from runtime.system.models.completion_task import CompletionTask, CompletionTaskInput, CompletionTaskStored
from runtime.system.models.completion_task_group import CompletionTaskGroup, CompletionTaskGroupInput
from runtime.system.models.consent import Consent, ConsentInput
from runtime.system.models.credential import Credential, CredentialInput, CredentialStored
from runtime.system.models.decision import Decision, DecisionInput
from runtime.system.models.erasure import Erasure, ErasureInput
from runtime.system.models.idempotency_key import IdempotencyKey, IdempotencyKeyInput
from runtime.system.models.import_profile import ImportProfile, ImportProfileInput
from runtime.system.models.import_row import ImportRow, ImportRowInput
from runtime.system.models.import_session import ImportSession, ImportSessionInput
from runtime.system.models.login_attempt import LoginAttempt, LoginAttemptInput
from runtime.system.models.mcp_message import McpMessage, McpMessageInput
from runtime.system.models.mcp_session import McpSession, McpSessionInput
from runtime.system.models.oauth_client import OauthClient, OauthClientInput, OauthClientStored
from runtime.system.models.ontology_edge import OntologyEdge, OntologyEdgeInput
from runtime.system.models.ontology_lock import OntologyLock, OntologyLockInput
from runtime.system.models.permission_rule import PermissionRule, PermissionRuleInput
from runtime.system.models.planted_seed import PlantedSeed, PlantedSeedInput
from runtime.system.models.pushed_request import PushedRequest, PushedRequestInput
from runtime.system.models.realm import Realm, RealmInput
from runtime.system.models.record_migration import RecordMigration, RecordMigrationInput
from runtime.system.models.refresh_family import RefreshFamily, RefreshFamilyInput
from runtime.system.models.removed_user import RemovedUser, RemovedUserInput
from runtime.system.models.rename import Rename, RenameInput
from runtime.system.models.request_tally import RequestTally, RequestTallyInput
from runtime.system.models.restoration import Restoration, RestorationInput
from runtime.system.models.revision import Revision, RevisionInput
from runtime.system.models.service_token import ServiceToken, ServiceTokenInput
from runtime.system.models.service_worker import ServiceWorker, ServiceWorkerInput
from runtime.system.models.sign_on import SignOn, SignOnInput
from runtime.system.models.spent_token import SpentToken, SpentTokenInput
from runtime.system.models.stored_shape import StoredShape, StoredShapeInput
from runtime.system.models.webhook import Webhook, WebhookInput, WebhookStored
from runtime.system.models.webhook_delivery import WebhookDelivery, WebhookDeliveryInput

AGENT: RecordType[Agent, AgentDocument] = RecordType(
    name="Agent",
    area="gateway",
    domain="agent",
    model=Agent,
    input=AgentInput,
    collection="agents",
    base_path="/gateway/agents",
    roles=frozenset({"admin"}),
    operations=frozenset(),
)
AUTHORIZATION_CODE: RecordType[AuthorizationCode, AuthorizationCodeDocument] = RecordType(
    name="AuthorizationCode",
    area="security",
    domain="authorizationCode",
    model=AuthorizationCode,
    input=AuthorizationCodeInput,
    collection="oauth_authorization_codes",
    base_path="/security/authorization-codes",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
COMPLETION_TASK: RecordType[CompletionTask, CompletionTaskDocument] = RecordType(
    name="CompletionTask",
    area="integration",
    domain="completionTask",
    model=CompletionTask,
    input=CompletionTaskInput,
    stored=CompletionTaskStored,
    collection="completionTask",
    base_path="/integration/completionTask",
    operations=frozenset(
        {"count", "delete", "entityref", "find", "id", "list", "patch", "refName", "schema"}
    ),
    changes=True,
    hidden=frozenset({"completion"}),
    server_set=frozenset({"completedDate", "completion", "createdDate"}),
    immutable=frozenset({"group"}),
    references=(Reference("group", "CompletionTaskGroup"),),
    indexes=(Index((("group.entityId", 1), ("status", 1))),),
)
COMPLETION_TASK_GROUP: RecordType[CompletionTaskGroup, CompletionTaskGroupDocument] = RecordType(
    name="CompletionTaskGroup",
    area="integration",
    domain="completionTaskGroup",
    model=CompletionTaskGroup,
    input=CompletionTaskGroupInput,
    collection="completionTaskGroup",
    base_path="/integration/completionTaskGroup",
    operations=frozenset(
        {"count", "delete", "entityref", "find", "id", "list", "patch", "refName", "schema"}
    ),
    changes=True,
    server_set=frozenset({"createdDate"}),
    indexes=(
        Index((("status", 1), ("auditInfo.lastUpdatedDate", 1)), per_realm=True),
        Index((("status", 1),)),
    ),
)
CONSENT: RecordType[Consent, ConsentDocument] = RecordType(
    name="Consent",
    area="security",
    domain="consent",
    model=Consent,
    input=ConsentInput,
    collection="consents",
    base_path="/security/consents",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(Index((("subject", 1), ("clientId", 1)), unique=True, per_realm=True),),
)
CREDENTIAL: RecordType[Credential, CredentialDocument] = RecordType(
    name="Credential",
    area="security",
    domain="credential",
    model=Credential,
    input=CredentialInput,
    stored=CredentialStored,
    collection="credentials",
    base_path="/security/credentials",
    roles=frozenset({"admin"}),
    operations=frozenset(),
    hidden=frozenset({"hashingAlgorithm", "impersonationGranter", "loginName", "passwordHash", "tokenEpoch"}),
    server_set=frozenset(
        {
            "authProviderName",
            "credentialType",
            "hashingAlgorithm",
            "impersonationGranter",
            "issuer",
            "lastUpdate",
            "loginName",
            "passwordHash",
            "subject",
            "tokenEpoch",
        }
    ),
    indexes=(
        Index((("loginName", 1),), unique=True, per_realm=True),
        Index((("subject", 1),), unique=True, per_realm=True),
    ),
)
DECISION: RecordType[Decision, DecisionDocument] = RecordType(
    name="Decision",
    area="security",
    domain="decision",
    model=Decision,
    input=DecisionInput,
    collection="decisions",
    base_path="/security/decisions",
    roles=frozenset({"admin"}),
    operations=frozenset(),
    indexes=(Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),),
)
ERASURE: RecordType[Erasure, ErasureDocument] = RecordType(
    name="Erasure",
    area="system",
    domain="erasure",
    model=Erasure,
    input=ErasureInput,
    collection="erasures",
    base_path="/system/erasures",
    roles=frozenset({"system"}),
    operations=frozenset(),
)
IDEMPOTENCY_KEY: RecordType[IdempotencyKey, IdempotencyKeyDocument] = RecordType(
    name="IdempotencyKey",
    area="system",
    domain="idempotencyKey",
    model=IdempotencyKey,
    input=IdempotencyKeyInput,
    collection="idempotencyKeys",
    base_path="/system/idempotency-keys",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"body", "parts"}),
    indexes=(Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),),
)
IMPORT_PROFILE: RecordType[ImportProfile, ImportProfileDocument] = RecordType(
    name="ImportProfile",
    area="integration",
    domain="importProfile",
    model=ImportProfile,
    input=ImportProfileInput,
    collection="importProfiles",
    base_path="/integration/import-profiles",
)
IMPORT_ROW: RecordType[ImportRow, ImportRowDocument] = RecordType(
    name="ImportRow",
    area="system",
    domain="importRow",
    model=ImportRow,
    input=ImportRowInput,
    collection="importRows",
    base_path="/system/import-rows",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("sessionId", 1), ("rowNumber", 1)), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
IMPORT_SESSION: RecordType[ImportSession, ImportSessionDocument] = RecordType(
    name="ImportSession",
    area="system",
    domain="importSession",
    model=ImportSession,
    input=ImportSessionInput,
    collection="importSessions",
    base_path="/system/import-sessions",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("beat", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
LOGIN_ATTEMPT: RecordType[LoginAttempt, LoginAttemptDocument] = RecordType(
    name="LoginAttempt",
    area="security",
    domain="loginAttempt",
    model=LoginAttempt,
    input=LoginAttemptInput,
    collection="loginAttempts",
    base_path="/security/login-attempts",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("key", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
MCP_MESSAGE: RecordType[McpMessage, McpMessageDocument] = RecordType(
    name="McpMessage",
    area="gateway",
    domain="mcpMessage",
    model=McpMessage,
    input=McpMessageInput,
    collection="mcpMessages",
    base_path="/gateway/mcp-messages",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"text"}),
    indexes=(
        Index((("session", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
MCP_SESSION: RecordType[McpSession, McpSessionDocument] = RecordType(
    name="McpSession",
    area="gateway",
    domain="mcpSession",
    model=McpSession,
    input=McpSessionInput,
    collection="mcpSessions",
    base_path="/gateway/mcp-sessions",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
OAUTH_CLIENT: RecordType[OauthClient, OauthClientDocument] = RecordType(
    name="OauthClient",
    area="security",
    domain="oauthClient",
    model=OauthClient,
    input=OauthClientInput,
    stored=OauthClientStored,
    collection="oauth_clients",
    base_path="/security/oauth/clients",
    roles=frozenset({"admin"}),
    display="{clientId}",
    hidden=frozenset({"clientSecretHash", "previousSecretHash"}),
    server_set=frozenset({"allTenants", "previousSecretHash", "selfRegistered", "subject", "unusedUntil"}),
    immutable=frozenset({"clientId"}),
    indexes=(
        Index((("clientId", 1),), unique=True, per_realm=True),
        Index((("unusedUntil", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
ONTOLOGY_EDGE: RecordType[OntologyEdge, OntologyEdgeDocument] = RecordType(
    name="OntologyEdge",
    area="system",
    domain="ontologyEdge",
    model=OntologyEdge,
    input=OntologyEdgeInput,
    collection="ontologyEdges",
    base_path="/system/ontology-edges",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("predicate", 1), ("destination.id", 1), ("source.id", 1))),
        Index((("source.id", 1), ("predicate", 1), ("destination.id", 1))),
    ),
)
ONTOLOGY_LOCK: RecordType[OntologyLock, OntologyLockDocument] = RecordType(
    name="OntologyLock",
    area="system",
    domain="ontologyLock",
    model=OntologyLock,
    input=OntologyLockInput,
    collection="ontologyLocks",
    base_path="/system/ontology-locks",
    roles=frozenset({"system"}),
    operations=frozenset(),
)
PERMISSION_RULE: RecordType[PermissionRule, PermissionRuleDocument] = RecordType(
    name="PermissionRule",
    area="security",
    domain="permissionRule",
    model=PermissionRule,
    input=PermissionRuleInput,
    collection="permissionRules",
    base_path="/security/permission/rules",
    roles=frozenset({"admin"}),
    display="{name}",
    indexes=(Index((("priority", 1), ("name", 1))),),
)
PLANTED_SEED: RecordType[PlantedSeed, PlantedSeedDocument] = RecordType(
    name="PlantedSeed",
    area="system",
    domain="plantedSeed",
    model=PlantedSeed,
    input=PlantedSeedInput,
    collection="plantedSeeds",
    base_path="/system/planted-seeds",
    roles=frozenset({"system"}),
    operations=frozenset(),
)
PUSHED_REQUEST: RecordType[PushedRequest, PushedRequestDocument] = RecordType(
    name="PushedRequest",
    area="security",
    domain="pushedRequest",
    model=PushedRequest,
    input=PushedRequestInput,
    collection="pushedRequests",
    base_path="/security/pushed-requests",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"parameters"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
REALM: RecordType[Realm, RealmDocument] = RecordType(
    name="Realm",
    area="security",
    domain="realm",
    model=Realm,
    input=RealmInput,
    collection="realms",
    base_path="/security/realms",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("database", 1),), unique=True, per_realm=True),
    ),
)
RECORD_MIGRATION: RecordType[RecordMigration, RecordMigrationDocument] = RecordType(
    name="RecordMigration",
    area="system",
    domain="recordMigration",
    model=RecordMigration,
    input=RecordMigrationInput,
    collection="recordMigrations",
    base_path="/system/record-migrations",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(Index((("phase", 1),), per_realm=True),),
)
REFRESH_FAMILY: RecordType[RefreshFamily, RefreshFamilyDocument] = RecordType(
    name="RefreshFamily",
    area="security",
    domain="refreshFamily",
    model=RefreshFamily,
    input=RefreshFamilyInput,
    collection="refreshFamilies",
    base_path="/security/refresh-families",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"code", "current", "previous"}),
    indexes=(
        Index((("code", 1),), per_realm=True),
        Index((("signOn", 1),), per_realm=True),
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
REMOVED_USER: RecordType[RemovedUser, RemovedUserDocument] = RecordType(
    name="RemovedUser",
    area="security",
    domain="removedUser",
    model=RemovedUser,
    input=RemovedUserInput,
    collection="removedUsers",
    base_path="/security/removed-users",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"loginName"}),
    indexes=(Index((("loginName", 1),), unique=True, per_realm=True),),
)
RENAME: RecordType[Rename, RenameDocument] = RecordType(
    name="Rename",
    area="system",
    domain="rename",
    model=Rename,
    input=RenameInput,
    collection="renames",
    base_path="/system/renames",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(Index((("dueAt", 1),), per_realm=True),),
)
REQUEST_TALLY: RecordType[RequestTally, RequestTallyDocument] = RecordType(
    name="RequestTally",
    area="system",
    domain="requestTally",
    model=RequestTally,
    input=RequestTallyInput,
    collection="requestTallies",
    base_path="/system/request-tallies",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("key", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
RESTORATION: RecordType[Restoration, RestorationDocument] = RecordType(
    name="Restoration",
    area="system",
    domain="restoration",
    model=Restoration,
    input=RestorationInput,
    collection="restorations",
    base_path="/system/restorations",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(Index((("refName", 1),), unique=True, per_realm=True),),
)
REVISION: RecordType[Revision, RevisionDocument] = RecordType(
    name="Revision",
    area="system",
    domain="revision",
    model=Revision,
    input=RevisionInput,
    collection="revisions",
    base_path="/system/revisions",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"changes"}),
    indexes=(Index((("recordType", 1), ("recordId", 1), ("recordVersion", -1))),),
)
SERVICE_TOKEN: RecordType[ServiceToken, ServiceTokenDocument] = RecordType(
    name="ServiceToken",
    area="security",
    domain="serviceToken",
    model=ServiceToken,
    input=ServiceTokenInput,
    collection="serviceTokens",
    base_path="/security/service-tokens",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
SERVICE_WORKER: RecordType[ServiceWorker, ServiceWorkerDocument] = RecordType(
    name="ServiceWorker",
    area="system",
    domain="serviceWorker",
    model=ServiceWorker,
    input=ServiceWorkerInput,
    collection="serviceWorkers",
    base_path="/system/service-workers",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(Index((("aliveUntil", 1),), per_realm=True, expire_after_seconds=3600),),
)
SIGN_ON: RecordType[SignOn, SignOnDocument] = RecordType(
    name="SignOn",
    area="security",
    domain="signOn",
    model=SignOn,
    input=SignOnInput,
    collection="signOns",
    base_path="/security/sign-ons",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"cookie"}),
    indexes=(
        Index((("cookie", 1),), unique=True, per_realm=True),
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
SPENT_TOKEN: RecordType[SpentToken, SpentTokenDocument] = RecordType(
    name="SpentToken",
    area="security",
    domain="spentToken",
    model=SpentToken,
    input=SpentTokenInput,
    collection="spentTokens",
    base_path="/security/spent-tokens",
    roles=frozenset({"system"}),
    operations=frozenset(),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
STORED_SHAPE: RecordType[StoredShape, StoredShapeDocument] = RecordType(
    name="StoredShape",
    area="system",
    domain="storedShape",
    model=StoredShape,
    input=StoredShapeInput,
    collection="storedShapes",
    base_path="/system/stored-shapes",
    roles=frozenset({"system"}),
    operations=frozenset(),
)
WEBHOOK: RecordType[Webhook, WebhookDocument] = RecordType(
    name="Webhook",
    area="integration",
    domain="webhook",
    model=Webhook,
    input=WebhookInput,
    stored=WebhookStored,
    collection="webhooks",
    base_path="/integration/webhooks",
    operations=frozenset(
        {"count", "delete", "entityref", "find", "id", "list", "patch", "refName", "schema"}
    ),
    hidden=frozenset({"previousSecret", "secret"}),
    server_set=frozenset(
        {
            "ownerRealm",
            "ownerSubject",
            "ownerUserId",
            "pausedDate",
            "pausedReason",
            "previousSecret",
            "previousSecretUntil",
            "secret",
        }
    ),
)
WEBHOOK_DELIVERY: RecordType[WebhookDelivery, WebhookDeliveryDocument] = RecordType(
    name="WebhookDelivery",
    area="system",
    domain="webhookDelivery",
    model=WebhookDelivery,
    input=WebhookDeliveryInput,
    collection="webhookDeliveries",
    base_path="/system/webhook-deliveries",
    roles=frozenset({"system"}),
    operations=frozenset(),
    hidden=frozenset({"document"}),
    indexes=(
        Index((("status", 1), ("dueAt", 1)), per_realm=True),
        Index((("line", 1), ("status", 1), ("sequence", 1)), per_realm=True),
        Index((("webhookId", 1), ("status", 1), ("occurredAt", 1)), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
