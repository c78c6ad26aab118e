"""Every record type and state graph. Written by the generator; do not edit."""

from generated.models.airport import Airport, AirportInput
from generated.models.carrier import Carrier, CarrierInput
from generated.models.country import Country, CountryInput
from generated.models.customer import Customer, CustomerInput
from generated.models.order import Order, OrderInput
from generated.models.port import Port, PortInput
from generated.models.product import Product, ProductInput
from generated.models.region import Region, RegionInput
from generated.models.shipment import Shipment, ShipmentInput
from generated.models.supplier import Supplier, SupplierInput
from runtime.model.ontology import Relationship
from runtime.model.record_type import Catalog, Constraint, Index, RecordType, Reference
from runtime.model.state_graph import State, StateGraph
from runtime.system.record_types import (
    AGENT,
    AUTHORIZATION_CODE,
    COMPLETION_TASK,
    COMPLETION_TASK_GROUP,
    CONSENT,
    CREDENTIAL,
    DECISION,
    IDEMPOTENCY_KEY,
    IMPORT_PROFILE,
    IMPORT_ROW,
    IMPORT_SESSION,
    LOGIN_ATTEMPT,
    MCP_MESSAGE,
    MCP_SESSION,
    OAUTH_CLIENT,
    ONTOLOGY_EDGE,
    ONTOLOGY_LOCK,
    PERMISSION_RULE,
    PLANTED_SEED,
    PUSHED_REQUEST,
    REALM,
    REFRESH_FAMILY,
    REMOVED_USER,
    RENAME,
    REVISION,
    SERVICE_TOKEN,
    SIGN_ON,
    SPENT_TOKEN,
    WEBHOOK,
    WEBHOOK_DELIVERY,
)

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
CUSTOMER = RecordType(
    name="Customer",
    area="logistics",
    domain="customer",
    model=Customer,
    input=CustomerInput,
    collection="customers",
    base_path="/logistics/customers",
    display="{name}",
    indexes=(Index((("name", 1),), language="en"), Index((("name", 1),))),
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
PORT = RecordType(
    name="Port",
    area="logistics",
    domain="port",
    model=Port,
    input=PortInput,
    collection="ports",
    base_path="/logistics/ports",
    operations=frozenset(
        {
            "bulk",
            "count",
            "delete",
            "entityref",
            "find",
            "id",
            "list",
            "ontology",
            "ontologyOf",
            "patch",
            "refName",
            "save",
            "schema",
        }
    ),
    display="{name}",
    references=(Reference("region", "Region", predicate="liesIn"),),
    indexes=(Index((("code", 1),), unique=True),),
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
REGION = RecordType(
    name="Region",
    area="logistics",
    domain="region",
    model=Region,
    input=RegionInput,
    collection="regions",
    base_path="/logistics/regions",
    operations=frozenset(
        {
            "bulk",
            "count",
            "delete",
            "entityref",
            "find",
            "id",
            "list",
            "ontology",
            "ontologyOf",
            "patch",
            "refName",
            "save",
            "schema",
        }
    ),
    display="{name}",
    references=(Reference("partOf", "Region", predicate="partOf"),),
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
SUPPLIER = RecordType(
    name="Supplier",
    area="logistics",
    domain="supplier",
    model=Supplier,
    input=SupplierInput,
    collection="suppliers",
    base_path="/logistics/suppliers",
    display="{name}",
    on_delete="archive",
    references=(
        Reference("port", "Port", predicate="shipsFrom"),
        Reference("suppliers[]", "Supplier", predicate="suppliedBy"),
    ),
)

CATALOG = Catalog(
    (
        AGENT,
        AIRPORT,
        AUTHORIZATION_CODE,
        CARRIER,
        COMPLETION_TASK,
        COMPLETION_TASK_GROUP,
        CONSENT,
        COUNTRY,
        CREDENTIAL,
        CUSTOMER,
        DECISION,
        IDEMPOTENCY_KEY,
        IMPORT_PROFILE,
        IMPORT_ROW,
        IMPORT_SESSION,
        LOGIN_ATTEMPT,
        MCP_MESSAGE,
        MCP_SESSION,
        OAUTH_CLIENT,
        ONTOLOGY_EDGE,
        ONTOLOGY_LOCK,
        ORDER,
        PERMISSION_RULE,
        PLANTED_SEED,
        PORT,
        PRODUCT,
        PUSHED_REQUEST,
        REALM,
        REFRESH_FAMILY,
        REGION,
        REMOVED_USER,
        RENAME,
        REVISION,
        SERVICE_TOKEN,
        SHIPMENT,
        SIGN_ON,
        SPENT_TOKEN,
        SUPPLIER,
        WEBHOOK,
        WEBHOOK_DELIVERY,
    ),
    roles=frozenset({"admin", "system", "user"}),
    relationships=(
        Relationship(
            "basedIn",
            domain="Supplier",
            range="Region",
            sub_property_of="exposedTo",
            chain=("shipsFrom", "liesIn"),
            description="The goods of a supplier come from a region.",
        ),
        Relationship(
            "dependsOn",
            domain="Supplier",
            range="Supplier",
            transitive=True,
            description="A company needs what another supplies, by whatever way.",
        ),
        Relationship(
            "exposedTo",
            domain="Supplier",
            range="Region",
            chain=("dependsOn", "basedIn"),
            description="What happens in a region reaches a company, itself or by those it depends on.",
        ),
        Relationship("hasPort", domain="Region", range="Port", description="The ports of a region."),
        Relationship(
            "liesIn",
            domain="Port",
            range="Region",
            inverse="hasPort",
            chain=("liesIn", "partOf"),
            description="A port belongs to a region, and to all around it.",
        ),
        Relationship(
            "partOf",
            domain="Region",
            range="Region",
            transitive=True,
            description="A region is part of a larger one.",
        ),
        Relationship(
            "shipsFrom",
            domain="Supplier",
            range="Port",
            description="The goods of a supplier are loaded at a port.",
        ),
        Relationship(
            "suppliedBy",
            domain="Supplier",
            range="Supplier",
            inverse="supplies",
            sub_property_of="dependsOn",
            description="A company buys from another.",
        ),
        Relationship(
            "supplies", domain="Supplier", range="Supplier", description="A company sells to another."
        ),
    ),
)
