"""Every record type and state graph. Written by the generator; do not edit."""

from generated.models.airport import Airport, AirportInput
from generated.models.carrier import Carrier, CarrierInput
from generated.models.country import Country, CountryInput
from generated.models.credential import Credential, CredentialInput, CredentialStored
from generated.models.customer import Customer, CustomerInput
from generated.models.login_attempt import LoginAttempt, LoginAttemptInput
from generated.models.order import Order, OrderInput
from generated.models.product import Product, ProductInput
from generated.models.refresh_family import RefreshFamily, RefreshFamilyInput
from generated.models.shipment import Shipment, ShipmentInput
from runtime.record_type import Catalog, Index, RecordType, Reference
from runtime.state_graph import State, StateGraph
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
    hidden=frozenset({"hashingAlgorithm", "loginName", "passwordHash", "tokenEpoch"}),
    server_set=frozenset(
        {
            "authProviderName",
            "hashingAlgorithm",
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
    persistent_events=True,
    references=(
        Reference("customer", "Customer", track=True, required=True),
        Reference("shipments[]", "Shipment"),
        Reference("items[].product", "Product", required=True),
    ),
    states={"status": ORDER_LIFECYCLE},
    indexes=(Index((("status", 1), ("placedAt", -1))), Index((("customer.entityId", 1),))),
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
    text=("details",),
    indexes=(Index((("sku", 1),), unique=True),),
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
    indexes=(
        Index((("status", 1), ("departsAt", -1))),
        Index((("customer.entityRefName", 1), ("departsAt", -1))),
        Index((("customer.entityId", 1),)),
    ),
)

CATALOG = Catalog(
    (AIRPORT, CARRIER, COUNTRY, CREDENTIAL, CUSTOMER, LOGIN_ATTEMPT, ORDER, PRODUCT, REFRESH_FAMILY, SHIPMENT)
)
SYSTEM = SystemRecords(credential=CREDENTIAL, refresh_family=REFRESH_FAMILY, login_attempt=LOGIN_ATTEMPT)
