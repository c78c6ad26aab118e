"""Every record type and state graph. Written by the generator; do not edit."""

from runtime.record_type import Catalog, Constraint, Index, RecordType, Reference
from runtime.state_graph import State, StateGraph
from runtime.system_records import SystemRecords
from sample_generated.models.article import Article, ArticleInput, ArticleStored
from sample_generated.models.colour import Colour, ColourInput
from sample_generated.models.credential import Credential, CredentialInput, CredentialStored
from sample_generated.models.delivery import Delivery, DeliveryInput
from sample_generated.models.depot import Depot, DepotInput
from sample_generated.models.login_attempt import LoginAttempt, LoginAttemptInput
from sample_generated.models.maker import Maker, MakerInput
from sample_generated.models.refresh_family import RefreshFamily, RefreshFamilyInput

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

CATALOG = Catalog((ARTICLE, COLOUR, CREDENTIAL, DELIVERY, DEPOT, LOGIN_ATTEMPT, MAKER, REFRESH_FAMILY))
SYSTEM = SystemRecords(credential=CREDENTIAL, refresh_family=REFRESH_FAMILY, login_attempt=LOGIN_ATTEMPT)
