"""Every record type and state graph. Written by the generator; do not edit."""

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
)
from sample_generated.models.article import Article, ArticleInput, ArticleStored
from sample_generated.models.colour import Colour, ColourInput
from sample_generated.models.delivery import Delivery, DeliveryInput
from sample_generated.models.depot import Depot, DepotInput
from sample_generated.models.maker import Maker, MakerInput

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
DELIVERY = RecordType(
    name="Delivery",
    area="goods-in",
    domain="delivery",
    model=Delivery,
    input=DeliveryInput,
    collection="deliveries",
    base_path="/goods-in/deliveries",
    operations=frozenset({"count", "id", "list", "save"}),
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

CATALOG = Catalog(
    (
        AGENT,
        ARTICLE,
        AUTHORIZATION_CODE,
        COLOUR,
        COMPLETION_TASK,
        COMPLETION_TASK_GROUP,
        CONSENT,
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
        MCP_MESSAGE,
        MCP_SESSION,
        OAUTH_CLIENT,
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
    ),
    roles=frozenset({"admin", "clerk", "system", "user"}),
)
