"""Every record type and state graph. Written by the generator; do not edit."""

from typing import Any

from runtime.model.later import Later
from runtime.model.record_type import Constraint, Index, RecordType, Reference
from runtime.system import documents

AGENT: RecordType[Any, documents.AgentDocument] = RecordType(
    name="Agent",
    area="gateway",
    model=Later("runtime.system.models.agent", "Agent"),
    collection="agents",
    roles=frozenset({"admin"}),
)
AUTHORIZATION_CODE: RecordType[Any, documents.AuthorizationCodeDocument] = RecordType(
    name="AuthorizationCode",
    area="security",
    model=Later("runtime.system.models.authorization_code", "AuthorizationCode"),
    collection="oauth_authorization_codes",
    roles=frozenset({"system"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
COMPLETION_TASK: RecordType[Any, documents.CompletionTaskDocument] = RecordType(
    name="CompletionTask",
    area="integration",
    model=Later("runtime.system.models.completion_task", "CompletionTask"),
    collection="completionTask",
    base_path="/integration/completionTask",
    operations=frozenset(
        {"count", "delete", "entityref", "find", "id", "list", "patch", "refName", "schema", "set"}
    ),
    changes=True,
    hidden=frozenset({"completion"}),
    server_set=frozenset({"completedDate", "completion", "createdDate"}),
    immutable=frozenset({"group"}),
    references=(Reference("group", "CompletionTaskGroup"),),
    constraints=(
        Constraint("status:~", "status cannot be empty: a task is PENDING, RUNNING, SUCCESS or FAILED"),
    ),
    indexes=(Index((("group.entityId", 1), ("status", 1))),),
)
COMPLETION_TASK_GROUP: RecordType[Any, documents.CompletionTaskGroupDocument] = RecordType(
    name="CompletionTaskGroup",
    area="integration",
    model=Later("runtime.system.models.completion_task_group", "CompletionTaskGroup"),
    collection="completionTaskGroup",
    base_path="/integration/completionTaskGroup",
    operations=frozenset(
        {"count", "delete", "entityref", "find", "id", "list", "patch", "refName", "schema", "set"}
    ),
    changes=True,
    server_set=frozenset({"createdDate"}),
    constraints=(Constraint("status:~", "status cannot be empty: a group is NEW, RUNNING or COMPLETE"),),
    indexes=(
        Index((("status", 1), ("auditInfo.lastUpdatedDate", 1)), per_realm=True),
        Index((("status", 1),)),
    ),
)
CONSENT: RecordType[Any, documents.ConsentDocument] = RecordType(
    name="Consent",
    area="security",
    model=Later("runtime.system.models.consent", "Consent"),
    collection="consents",
    roles=frozenset({"system"}),
    indexes=(
        Index((("subject", 1), ("clientId", 1)), unique=True, per_realm=True),
        Index((("clientId", 1),), per_realm=True),
    ),
)
CREDENTIAL: RecordType[Any, documents.CredentialDocument] = RecordType(
    name="Credential",
    area="security",
    model=Later("runtime.system.models.credential", "Credential"),
    collection="credentials",
    roles=frozenset({"admin"}),
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
        Index((("refName", 1),), per_realm=True),
        Index((("subject", 1),), unique=True, per_realm=True),
    ),
)
DECISION: RecordType[Any, documents.DecisionDocument] = RecordType(
    name="Decision",
    area="security",
    model=Later("runtime.system.models.decision", "Decision"),
    collection="decisions",
    roles=frozenset({"admin"}),
    indexes=(Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),),
)
ERASURE: RecordType[Any, documents.ErasureDocument] = RecordType(
    name="Erasure",
    area="system",
    model=Later("runtime.system.models.erasure", "Erasure"),
    collection="erasures",
    roles=frozenset({"system"}),
)
IDEMPOTENCY_KEY: RecordType[Any, documents.IdempotencyKeyDocument] = RecordType(
    name="IdempotencyKey",
    area="system",
    model=Later("runtime.system.models.idempotency_key", "IdempotencyKey"),
    collection="idempotencyKeys",
    roles=frozenset({"system"}),
    hidden=frozenset({"body", "parts"}),
    indexes=(Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),),
)
IMPORT_PROFILE: RecordType[Any, documents.ImportProfileDocument] = RecordType(
    name="ImportProfile",
    area="integration",
    model=Later("runtime.system.models.import_profile", "ImportProfile"),
    collection="importProfiles",
    base_path="/integration/import-profiles",
)
IMPORT_ROW: RecordType[Any, documents.ImportRowDocument] = RecordType(
    name="ImportRow",
    area="system",
    model=Later("runtime.system.models.import_row", "ImportRow"),
    collection="importRows",
    roles=frozenset({"system"}),
    indexes=(
        Index((("sessionId", 1), ("rowNumber", 1)), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
IMPORT_SESSION: RecordType[Any, documents.ImportSessionDocument] = RecordType(
    name="ImportSession",
    area="system",
    model=Later("runtime.system.models.import_session", "ImportSession"),
    collection="importSessions",
    roles=frozenset({"system"}),
    indexes=(
        Index((("beat", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
LOGIN_ATTEMPT: RecordType[Any, documents.LoginAttemptDocument] = RecordType(
    name="LoginAttempt",
    area="security",
    model=Later("runtime.system.models.login_attempt", "LoginAttempt"),
    collection="loginAttempts",
    roles=frozenset({"system"}),
    indexes=(
        Index((("key", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
MCP_MESSAGE: RecordType[Any, documents.McpMessageDocument] = RecordType(
    name="McpMessage",
    area="gateway",
    model=Later("runtime.system.models.mcp_message", "McpMessage"),
    collection="mcpMessages",
    roles=frozenset({"system"}),
    hidden=frozenset({"text"}),
    indexes=(
        Index((("session", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
MCP_SESSION: RecordType[Any, documents.McpSessionDocument] = RecordType(
    name="McpSession",
    area="gateway",
    model=Later("runtime.system.models.mcp_session", "McpSession"),
    collection="mcpSessions",
    roles=frozenset({"system"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
OAUTH_CLIENT: RecordType[Any, documents.OauthClientDocument] = RecordType(
    name="OauthClient",
    area="security",
    model=Later("runtime.system.models.oauth_client", "OauthClient"),
    collection="oauth_clients",
    base_path="/security/oauth/clients",
    roles=frozenset({"admin"}),
    display="{clientId}",
    hidden=frozenset({"clientSecretHash", "previousSecretHash"}),
    server_set=frozenset(
        {"allTenants", "previousSecretHash", "selfRegistered", "subject", "unusedUntil", "writerRoles"}
    ),
    immutable=frozenset({"clientId"}),
    indexes=(
        Index((("clientId", 1),), unique=True, per_realm=True),
        Index((("unusedUntil", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
ONTOLOGY_EDGE: RecordType[Any, documents.OntologyEdgeDocument] = RecordType(
    name="OntologyEdge",
    area="system",
    model=Later("runtime.system.models.ontology_edge", "OntologyEdge"),
    collection="ontologyEdges",
    roles=frozenset({"system"}),
    indexes=(
        Index((("predicate", 1), ("destination.id", 1), ("source.id", 1), ("inferred", 1))),
        Index((("source.id", 1), ("predicate", 1), ("destination.id", 1), ("inferred", 1))),
    ),
)
ONTOLOGY_LOCK: RecordType[Any, documents.OntologyLockDocument] = RecordType(
    name="OntologyLock",
    area="system",
    model=Later("runtime.system.models.ontology_lock", "OntologyLock"),
    collection="ontologyLocks",
    roles=frozenset({"system"}),
)
PERMISSION_RULE: RecordType[Any, documents.PermissionRuleDocument] = RecordType(
    name="PermissionRule",
    area="security",
    model=Later("runtime.system.models.permission_rule", "PermissionRule"),
    collection="permissionRules",
    base_path="/security/permission/rules",
    roles=frozenset({"admin"}),
    display="{name}",
    indexes=(Index((("priority", 1), ("name", 1))),),
)
PLANTED_SEED: RecordType[Any, documents.PlantedSeedDocument] = RecordType(
    name="PlantedSeed",
    area="system",
    model=Later("runtime.system.models.planted_seed", "PlantedSeed"),
    collection="plantedSeeds",
    roles=frozenset({"system"}),
)
PUSHED_REQUEST: RecordType[Any, documents.PushedRequestDocument] = RecordType(
    name="PushedRequest",
    area="security",
    model=Later("runtime.system.models.pushed_request", "PushedRequest"),
    collection="pushedRequests",
    roles=frozenset({"system"}),
    hidden=frozenset({"parameters"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
REALM: RecordType[Any, documents.RealmDocument] = RecordType(
    name="Realm",
    area="security",
    model=Later("runtime.system.models.realm", "Realm"),
    collection="realms",
    roles=frozenset({"system"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("database", 1),), unique=True, per_realm=True),
    ),
)
RECORD_MIGRATION: RecordType[Any, documents.RecordMigrationDocument] = RecordType(
    name="RecordMigration",
    area="system",
    model=Later("runtime.system.models.record_migration", "RecordMigration"),
    collection="recordMigrations",
    roles=frozenset({"system"}),
    indexes=(Index((("phase", 1),), per_realm=True),),
)
REFRESH_FAMILY: RecordType[Any, documents.RefreshFamilyDocument] = RecordType(
    name="RefreshFamily",
    area="security",
    model=Later("runtime.system.models.refresh_family", "RefreshFamily"),
    collection="refreshFamilies",
    roles=frozenset({"system"}),
    hidden=frozenset({"code", "current", "previous"}),
    indexes=(
        Index((("code", 1),), per_realm=True),
        Index((("signOn", 1),), per_realm=True),
        Index((("clientId", 1),), per_realm=True),
        Index((("subject", 1), ("refName", 1)), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
REMOVED_USER: RecordType[Any, documents.RemovedUserDocument] = RecordType(
    name="RemovedUser",
    area="security",
    model=Later("runtime.system.models.removed_user", "RemovedUser"),
    collection="removedUsers",
    roles=frozenset({"system"}),
    hidden=frozenset({"loginName"}),
    indexes=(Index((("loginName", 1),), unique=True, per_realm=True),),
)
RENAME: RecordType[Any, documents.RenameDocument] = RecordType(
    name="Rename",
    area="system",
    model=Later("runtime.system.models.rename", "Rename"),
    collection="renames",
    roles=frozenset({"system"}),
    indexes=(Index((("dueAt", 1),), per_realm=True),),
)
REQUEST_TALLY: RecordType[Any, documents.RequestTallyDocument] = RecordType(
    name="RequestTally",
    area="system",
    model=Later("runtime.system.models.request_tally", "RequestTally"),
    collection="requestTallies",
    roles=frozenset({"system"}),
    indexes=(
        Index((("key", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
RESTORATION: RecordType[Any, documents.RestorationDocument] = RecordType(
    name="Restoration",
    area="system",
    model=Later("runtime.system.models.restoration", "Restoration"),
    collection="restorations",
    roles=frozenset({"system"}),
    indexes=(Index((("refName", 1),), unique=True, per_realm=True),),
)
REVISION: RecordType[Any, documents.RevisionDocument] = RecordType(
    name="Revision",
    area="system",
    model=Later("runtime.system.models.revision", "Revision"),
    collection="revisions",
    roles=frozenset({"system"}),
    hidden=frozenset({"changes"}),
    indexes=(Index((("recordType", 1), ("recordId", 1), ("recordVersion", -1))),),
)
SERVICE_TOKEN: RecordType[Any, documents.ServiceTokenDocument] = RecordType(
    name="ServiceToken",
    area="security",
    model=Later("runtime.system.models.service_token", "ServiceToken"),
    collection="serviceTokens",
    roles=frozenset({"system"}),
    indexes=(
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
SERVICE_WORKER: RecordType[Any, documents.ServiceWorkerDocument] = RecordType(
    name="ServiceWorker",
    area="system",
    model=Later("runtime.system.models.service_worker", "ServiceWorker"),
    collection="serviceWorkers",
    roles=frozenset({"system"}),
    indexes=(Index((("aliveUntil", 1),), per_realm=True, expire_after_seconds=3600),),
)
SIGN_ON: RecordType[Any, documents.SignOnDocument] = RecordType(
    name="SignOn",
    area="security",
    model=Later("runtime.system.models.sign_on", "SignOn"),
    collection="signOns",
    roles=frozenset({"system"}),
    hidden=frozenset({"cookie"}),
    indexes=(
        Index((("cookie", 1),), unique=True, per_realm=True),
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
SPENT_TOKEN: RecordType[Any, documents.SpentTokenDocument] = RecordType(
    name="SpentToken",
    area="security",
    model=Later("runtime.system.models.spent_token", "SpentToken"),
    collection="spentTokens",
    roles=frozenset({"system"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
STORED_SHAPE: RecordType[Any, documents.StoredShapeDocument] = RecordType(
    name="StoredShape",
    area="system",
    model=Later("runtime.system.models.stored_shape", "StoredShape"),
    collection="storedShapes",
    roles=frozenset({"system"}),
)
WEBHOOK: RecordType[Any, documents.WebhookDocument] = RecordType(
    name="Webhook",
    area="integration",
    model=Later("runtime.system.models.webhook", "Webhook"),
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
WEBHOOK_DELIVERY: RecordType[Any, documents.WebhookDeliveryDocument] = RecordType(
    name="WebhookDelivery",
    area="system",
    model=Later("runtime.system.models.webhook_delivery", "WebhookDelivery"),
    collection="webhookDeliveries",
    roles=frozenset({"system"}),
    hidden=frozenset({"document"}),
    indexes=(
        Index((("status", 1), ("dueAt", 1), ("webhookId", 1), ("dataDomain.tenantId", 1)), per_realm=True),
        Index((("line", 1), ("status", 1), ("sequence", 1)), per_realm=True),
        Index((("webhookId", 1), ("status", 1), ("occurredAt", 1)), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
