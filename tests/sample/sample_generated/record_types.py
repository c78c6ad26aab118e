"""Every record type and state graph. Written by the generator; do not edit."""

from runtime.model.record_type import Catalog, Constraint, Index, RecordType, Reference
from runtime.model.state_graph import State, StateGraph
from runtime.system_records import SystemRecords
from sample_generated.models.article import Article, ArticleInput, ArticleStored
from sample_generated.models.colour import Colour, ColourInput
from sample_generated.models.credential import Credential, CredentialInput, CredentialStored
from sample_generated.models.decision import Decision, DecisionInput
from sample_generated.models.delivery import Delivery, DeliveryInput
from sample_generated.models.depot import Depot, DepotInput
from sample_generated.models.idempotency_key import IdempotencyKey, IdempotencyKeyInput
from sample_generated.models.import_profile import ImportProfile, ImportProfileInput
from sample_generated.models.import_row import ImportRow, ImportRowInput
from sample_generated.models.import_session import ImportSession, ImportSessionInput
from sample_generated.models.login_attempt import LoginAttempt, LoginAttemptInput
from sample_generated.models.maker import Maker, MakerInput
from sample_generated.models.permission_rule import PermissionRule, PermissionRuleInput
from sample_generated.models.planted_seed import PlantedSeed, PlantedSeedInput
from sample_generated.models.realm import Realm, RealmInput
from sample_generated.models.refresh_family import RefreshFamily, RefreshFamilyInput
from sample_generated.models.removed_user import RemovedUser, RemovedUserInput
from sample_generated.models.rename import Rename, RenameInput
from sample_generated.models.revision import Revision, RevisionInput
from sample_generated.models.service_token import ServiceToken, ServiceTokenInput

ARTICLE_LIFECYCLE = StateGraph(
    "articleLifecycle",
    {
        "DRAFT": State(initial=True, next=("OFFERED", "DROPPED")),
        "OFFERED": State(next=("DRAFT", "DROPPED")),
        "DROPPED": State(final=True),
    },
)

ARTICLE = RecordType(
    name="Article",
    area="shop",
    domain="article",
    model=Article,
    input=ArticleInput,
    stored=ArticleStored,
    collection="articles",
    base_path="/shop/articles",
    display="{refName}: {title}",
    hidden=frozenset({"margin", "token"}),
    server_set=frozenset({"label", "margin", "rating", "sold"}),
    immutable=frozenset({"code"}),
    text=("details",),
    calculated={"label": "{code} {title}"},
    renamed={"label": "caption"},
    references=(
        Reference("maker", "Maker", track=True, required=True),
        Reference("similar[]", "Article"),
        Reference("origin.depot", "Depot"),
        Reference("parts[].supplier", "Maker"),
    ),
    states={"status": ARTICLE_LIFECYCLE},
    constraints=(Constraint("price:>##0", "the price must be positive"),),
    indexes=(
        Index((("status", 1), ("since", -1))),
        Index((("maker.entityId", 1), ("price", 1)), unique=True),
        Index((("token", 1),), per_realm=True),
        Index((("title", 1),)),
        Index((("code", 1),), unique=True),
        Index((("maker.entityId", 1),)),
    ),
)
COLOUR = RecordType(
    name="Colour",
    area="shop",
    domain="colour",
    model=Colour,
    input=ColourInput,
    collection="colours",
    base_path="/shop/colours",
)
CREDENTIAL = RecordType(
    name="Credential",
    area="security",
    domain="credential",
    model=Credential,
    input=CredentialInput,
    stored=CredentialStored,
    collection="credentials",
    base_path="/security/credentials",
    roles=frozenset({"admin"}),
    hidden=frozenset({"hashingAlgorithm", "impersonationGranter", "loginName", "passwordHash", "tokenEpoch"}),
    server_set=frozenset(
        {
            "authProviderName",
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
DECISION = RecordType(
    name="Decision",
    area="security",
    domain="decision",
    model=Decision,
    input=DecisionInput,
    collection="decisions",
    base_path="/security/decisions",
    roles=frozenset({"admin"}),
    indexes=(Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),),
)
DELIVERY = RecordType(
    name="Delivery",
    area="goods-in",
    domain="delivery",
    model=Delivery,
    input=DeliveryInput,
    collection="deliveries",
    base_path="/goods-in/deliveries",
    references=(Reference("depot", "Depot", required=True),),
    indexes=(Index((("expires", 1),), per_realm=True, expire_after_seconds=3600),),
)
DEPOT = RecordType(
    name="Depot",
    area="shop",
    domain="depot",
    model=Depot,
    input=DepotInput,
    collection="depots",
    base_path="/shop/depots",
    references=(Reference("address.depot", "Depot"),),
)
IDEMPOTENCY_KEY = RecordType(
    name="IdempotencyKey",
    area="system",
    domain="idempotencyKey",
    model=IdempotencyKey,
    input=IdempotencyKeyInput,
    collection="idempotencyKeys",
    base_path="/system/idempotency-keys",
    roles=frozenset({"system"}),
    hidden=frozenset({"body", "parts"}),
    indexes=(Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),),
)
IMPORT_PROFILE = RecordType(
    name="ImportProfile",
    area="integration",
    domain="importProfile",
    model=ImportProfile,
    input=ImportProfileInput,
    collection="importProfiles",
    base_path="/integration/import-profiles",
)
IMPORT_ROW = RecordType(
    name="ImportRow",
    area="system",
    domain="importRow",
    model=ImportRow,
    input=ImportRowInput,
    collection="importRows",
    base_path="/system/import-rows",
    roles=frozenset({"system"}),
    indexes=(
        Index((("sessionId", 1), ("rowNumber", 1)), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
IMPORT_SESSION = RecordType(
    name="ImportSession",
    area="system",
    domain="importSession",
    model=ImportSession,
    input=ImportSessionInput,
    collection="importSessions",
    base_path="/system/import-sessions",
    roles=frozenset({"system"}),
    indexes=(
        Index((("beat", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
LOGIN_ATTEMPT = RecordType(
    name="LoginAttempt",
    area="security",
    domain="loginAttempt",
    model=LoginAttempt,
    input=LoginAttemptInput,
    collection="loginAttempts",
    base_path="/security/login-attempts",
    roles=frozenset({"system"}),
    indexes=(
        Index((("key", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
MAKER = RecordType(
    name="Maker",
    area="shop",
    domain="maker",
    model=Maker,
    input=MakerInput,
    collection="shopMakers",
    base_path="/shop/who/makers",
    roles=frozenset({"admin", "clerk"}),
    display="{refName}",
    on_delete="archive",
    audited=True,
    persistent_events=True,
    lenient=True,
    references=(Reference("owner", "Maker"),),
)
PERMISSION_RULE = RecordType(
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
PLANTED_SEED = RecordType(
    name="PlantedSeed",
    area="system",
    domain="plantedSeed",
    model=PlantedSeed,
    input=PlantedSeedInput,
    collection="plantedSeeds",
    base_path="/system/planted-seeds",
    roles=frozenset({"system"}),
)
REALM = RecordType(
    name="Realm",
    area="security",
    domain="realm",
    model=Realm,
    input=RealmInput,
    collection="realms",
    base_path="/security/realms",
    roles=frozenset({"system"}),
    indexes=(
        Index((("refName", 1),), unique=True, per_realm=True),
        Index((("database", 1),), unique=True, per_realm=True),
    ),
)
REFRESH_FAMILY = RecordType(
    name="RefreshFamily",
    area="security",
    domain="refreshFamily",
    model=RefreshFamily,
    input=RefreshFamilyInput,
    collection="refreshFamilies",
    base_path="/security/refresh-families",
    roles=frozenset({"system"}),
    hidden=frozenset({"current", "previous"}),
    indexes=(
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)
REMOVED_USER = RecordType(
    name="RemovedUser",
    area="security",
    domain="removedUser",
    model=RemovedUser,
    input=RemovedUserInput,
    collection="removedUsers",
    base_path="/security/removed-users",
    roles=frozenset({"system"}),
    hidden=frozenset({"loginName"}),
    indexes=(Index((("loginName", 1),), unique=True, per_realm=True),),
)
RENAME = RecordType(
    name="Rename",
    area="system",
    domain="rename",
    model=Rename,
    input=RenameInput,
    collection="renames",
    base_path="/system/renames",
    roles=frozenset({"system"}),
    indexes=(Index((("dueAt", 1),), per_realm=True),),
)
REVISION = RecordType(
    name="Revision",
    area="system",
    domain="revision",
    model=Revision,
    input=RevisionInput,
    collection="revisions",
    base_path="/system/revisions",
    roles=frozenset({"system"}),
    hidden=frozenset({"changes"}),
    indexes=(Index((("recordType", 1), ("recordId", 1), ("recordVersion", -1))),),
)
SERVICE_TOKEN = RecordType(
    name="ServiceToken",
    area="security",
    domain="serviceToken",
    model=ServiceToken,
    input=ServiceTokenInput,
    collection="serviceTokens",
    base_path="/security/service-tokens",
    roles=frozenset({"system"}),
    indexes=(
        Index((("subject", 1),), per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)

CATALOG = Catalog(
    (
        ARTICLE,
        COLOUR,
        CREDENTIAL,
        DECISION,
        DELIVERY,
        DEPOT,
        IDEMPOTENCY_KEY,
        IMPORT_PROFILE,
        IMPORT_ROW,
        IMPORT_SESSION,
        LOGIN_ATTEMPT,
        MAKER,
        PERMISSION_RULE,
        PLANTED_SEED,
        REALM,
        REFRESH_FAMILY,
        REMOVED_USER,
        RENAME,
        REVISION,
        SERVICE_TOKEN,
    ),
    roles=frozenset({"admin", "clerk", "system", "user"}),
)
SYSTEM = SystemRecords(
    credential=CREDENTIAL,
    refresh_family=REFRESH_FAMILY,
    login_attempt=LOGIN_ATTEMPT,
    permission_rule=PERMISSION_RULE,
    realm=REALM,
    service_token=SERVICE_TOKEN,
    removed_user=REMOVED_USER,
    revision=REVISION,
    rename=RENAME,
    planted_seed=PLANTED_SEED,
    idempotency_key=IDEMPOTENCY_KEY,
    import_session=IMPORT_SESSION,
    import_row=IMPORT_ROW,
    decision=DECISION,
    import_profile=IMPORT_PROFILE,
)
