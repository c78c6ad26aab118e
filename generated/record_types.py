"""Every record type and state graph. Written by the generator; do not edit."""

from generated.models.airport import Airport, AirportInput
from generated.models.carrier import Carrier, CarrierInput
from generated.models.country import Country, CountryInput
from generated.models.credential import Credential, CredentialInput, CredentialStored
from generated.models.customer import Customer, CustomerInput
from generated.models.decision import Decision, DecisionInput
from generated.models.idempotency_key import IdempotencyKey, IdempotencyKeyInput
from generated.models.import_profile import ImportProfile, ImportProfileInput
from generated.models.import_row import ImportRow, ImportRowInput
from generated.models.import_session import ImportSession, ImportSessionInput
from generated.models.login_attempt import LoginAttempt, LoginAttemptInput
from generated.models.order import Order, OrderInput
from generated.models.permission_rule import PermissionRule, PermissionRuleInput
from generated.models.planted_seed import PlantedSeed, PlantedSeedInput
from generated.models.product import Product, ProductInput
from generated.models.realm import Realm, RealmInput
from generated.models.refresh_family import RefreshFamily, RefreshFamilyInput
from generated.models.removed_user import RemovedUser, RemovedUserInput
from generated.models.rename import Rename, RenameInput
from generated.models.revision import Revision, RevisionInput
from generated.models.service_token import ServiceToken, ServiceTokenInput
from generated.models.shipment import Shipment, ShipmentInput
from runtime.model.record_type import Catalog, Constraint, Index, RecordType, Reference
from runtime.model.state_graph import State, StateGraph
from runtime.system_records import SystemRecords

ORDER_LIFECYCLE = StateGraph(
    "orderLifecycle",
    {
        "PENDING": State(initial=True, next=("PROCESSING", "CANCELLED")),
        "PROCESSING": State(next=("SHIPPED", "CANCELLED")),
        "SHIPPED": State(next=("DELIVERED",)),
        "DELIVERED": State(final=True),
        "CANCELLED": State(final=True),
    },
)
SHIPMENT_LIFECYCLE = StateGraph(
    "shipmentLifecycle",
    {
        "BOOKED": State(initial=True, next=("IN_TRANSIT", "CANCELLED")),
        "IN_TRANSIT": State(next=("DELIVERED", "LOST")),
        "DELIVERED": State(final=True),
        "LOST": State(final=True),
        "CANCELLED": State(final=True),
    },
)

AIRPORT = RecordType(
    name="Airport",
    area="logistics",
    domain="airport",
    model=Airport,
    input=AirportInput,
    collection="airports",
    base_path="/logistics/airports",
    display="{name} ({refName})",
    references=(Reference("country", "Country", required=True),),
    indexes=(
        Index((("country.entityRefName", 1), ("name", 1))),
        Index((("icao", 1),), unique=True),
        Index((("iata", 1),)),
        Index((("name", 1),)),
        Index((("city", 1),)),
    ),
)
CARRIER = RecordType(
    name="Carrier",
    area="logistics",
    domain="carrier",
    model=Carrier,
    input=CarrierInput,
    collection="carriers",
    base_path="/logistics/carriers",
    display="{name}",
    references=(Reference("home", "Airport"),),
)
COUNTRY = RecordType(
    name="Country",
    area="logistics",
    domain="country",
    model=Country,
    input=CountryInput,
    collection="countries",
    base_path="/logistics/countries",
    display="{name}",
    indexes=(Index((("code", 1),), unique=True),),
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
CUSTOMER = RecordType(
    name="Customer",
    area="logistics",
    domain="customer",
    model=Customer,
    input=CustomerInput,
    collection="customers",
    base_path="/logistics/customers",
    display="{name}",
    indexes=(Index((("name", 1),)),),
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
ORDER = RecordType(
    name="Order",
    area="logistics",
    domain="order",
    model=Order,
    input=OrderInput,
    collection="orders",
    base_path="/logistics/orders",
    display="{refName} of {customer.entityRefName}",
    audited=True,
    persistent_events=True,
    references=(
        Reference("customer", "Customer", track=True, required=True),
        Reference("shipments[]", "Shipment"),
        Reference("items[].product", "Product", required=True),
    ),
    states={"status": ORDER_LIFECYCLE},
    indexes=(Index((("status", 1), ("placedAt", -1))), Index((("customer.entityId", 1),))),
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
PRODUCT = RecordType(
    name="Product",
    area="logistics",
    domain="product",
    model=Product,
    input=ProductInput,
    collection="products",
    base_path="/logistics/products",
    display="{name}",
    on_delete="archive",
    server_set=frozenset({"label"}),
    text=("details",),
    calculated={"label": "{name} ({sku})"},
    indexes=(Index((("sku", 1),), unique=True),),
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
SHIPMENT = RecordType(
    name="Shipment",
    area="logistics",
    domain="shipment",
    model=Shipment,
    input=ShipmentInput,
    collection="shipments",
    base_path="/logistics/shipments",
    display="{refName}: {origin.entityRefName} to {destination.entityRefName}",
    hidden=frozenset({"customsToken"}),
    references=(
        Reference("customer", "Customer", track=True, required=True),
        Reference("carrier", "Carrier"),
        Reference("origin", "Airport", required=True),
        Reference("destination", "Airport", required=True),
    ),
    states={"status": SHIPMENT_LIFECYCLE},
    constraints=(Constraint("weightKg:null || weightKg:>##0", "what has been weighed weighs something"),),
    indexes=(
        Index((("status", 1), ("departsAt", -1))),
        Index((("customer.entityRefName", 1), ("departsAt", -1))),
        Index((("customer.entityId", 1),)),
    ),
)

CATALOG = Catalog(
    (
        AIRPORT,
        CARRIER,
        COUNTRY,
        CREDENTIAL,
        CUSTOMER,
        DECISION,
        IDEMPOTENCY_KEY,
        IMPORT_PROFILE,
        IMPORT_ROW,
        IMPORT_SESSION,
        LOGIN_ATTEMPT,
        ORDER,
        PERMISSION_RULE,
        PLANTED_SEED,
        PRODUCT,
        REALM,
        REFRESH_FAMILY,
        REMOVED_USER,
        RENAME,
        REVISION,
        SERVICE_TOKEN,
        SHIPMENT,
    ),
    roles=frozenset({"admin", "system", "user"}),
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
