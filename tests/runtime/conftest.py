"""Record types made by hand: the store, the codec and the rules of a record's life are tested on them.

``WIDGET`` has a field of every type, hidden fields at the top and inside an object, references at the top
and inside a list, a state graph, a field of the server and immutable ones. ``SUPPLIER`` has a display
template, ``NOTE`` every sort of index.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from bson import Decimal128, ObjectId
from pydantic import AwareDatetime, Field

from runtime.model.record import EntityReference, ObjectIdText, PersistentEvent, Record, RecordInput, Strict
from runtime.model.record_type import Index, RecordType, Reference
from runtime.model.state_graph import State, StateGraph
from runtime.principal import DomainContext, DomainScope, Identity, Principal
from runtime.storage.access import Access, Action
from runtime.storage.store import Store
from tests.kinds import kind_of
from tests.patience import STORE_MS

Document = dict[str, Any]

LIFE = StateGraph(
    "widgetLife",
    {
        "DRAFT": State(next=("OPEN", "SCRAPPED"), initial=True),
        "OPEN": State(next=("SHIPPED", "SCRAPPED")),
        "SHIPPED": State(final=True),
        "SCRAPPED": State(final=True),
    },
)
Status = Literal["DRAFT", "OPEN", "SHIPPED", "SCRAPPED"]


class ProfileInput(Strict):
    title: str | None = None
    secret_margin: Decimal | None = None


class Profile(Strict):
    title: str | None = None


class Line(Strict):
    sku: str
    quantity: Annotated[int, Field(ge=1)] | None = None
    product: EntityReference | None = None
    due: AwareDatetime | None = None


class WidgetFields(Strict):
    """What the two classes of a widget share: a generated pair shares nothing, it is written out."""

    title: str | None = None
    count: int | None = None
    ratio: float | None = None
    price: Decimal | None = None
    active: bool | None = None
    made_on: date | None = None
    seen_at: AwareDatetime | None = None
    owner_key: ObjectIdText | None = None
    extra: Any = None
    tags: list[str] | None = None
    lines: list[Line] | None = None
    prices: dict[str, Decimal] | None = None
    supplier: EntityReference | None = None
    status: Status | None = None
    serial: str | None = None
    maker: EntityReference | None = None
    persistent_events: list[PersistentEvent] | None = None


class WidgetInput(WidgetFields, RecordInput):
    api_token: str | None = None
    profile: ProfileInput | None = None
    score: int | None = None


class Widget(WidgetFields, Record):
    profile: Profile | None = None
    score: int | None = None


class SupplierFields(Strict):
    city: str | None = None
    since: AwareDatetime | None = None


class NoteFields(Strict):
    topic: str
    code: str | None = None
    language: str | None = None
    handle: str | None = None
    expires_at: AwareDatetime | None = None


class NoteInput(NoteFields, RecordInput):
    pass


class Note(NoteFields, Record):
    pass


WIDGET: RecordType[Widget] = RecordType(
    name="Widget",
    area="factory",
    model=Widget,
    collection="widgets",
    base_path="/factory/widgets",
    persistent_events=True,
    hidden=frozenset({"apiToken", "profile.secretMargin"}),
    server_set=frozenset({"score"}),
    immutable=frozenset({"serial", "maker"}),
    references=(
        Reference("supplier", "Supplier"),
        Reference("maker", "Supplier"),
        Reference("lines[].product", "Widget"),
    ),
    states={"status": LIFE},
)
SUPPLIER = kind_of("Supplier", "factory", SupplierFields, display="{city}: {since}")
NOTE: RecordType[Note] = RecordType(
    name="Note",
    area="office",
    model=Note,
    collection="notes",
    base_path="/office/notes",
    text=("topic",),
    indexes=(
        Index((("topic", 1), ("version", -1))),
        Index((("code", 1),), unique=True),
        Index((("handle", 1),), unique=True, per_realm=True),
        Index((("expiresAt", 1),), per_realm=True, expire_after_seconds=0),
    ),
)

MOMENT = datetime(2026, 3, 27, 4, 12, 14, 118000)

AccessTo = Callable[..., Access]


def principal(**changes: Any) -> Principal:
    """Ann of tenant acme; ``changes`` are members of ``Principal``."""
    domain = DomainContext(tenant_id="acme", default_realm="main", org_ref_name="HQ", account_id="A-1")
    values: dict[str, Any] = {
        "user_id": "ann",
        "subject": "s-ann",
        "roles": frozenset({"user"}),
        "domain": domain,
    }
    return Principal(**(values | changes))


BOSS = Identity("bob", "s-bob", "main", frozenset({"admin"}), DomainContext("acme", "main"))


def stored_widget(tenant: str = "acme", **members: Any) -> Document:
    """A widget as the store keeps it."""
    record_id = ObjectId()
    return {
        "_id": record_id,
        "refName": str(record_id),
        "displayName": str(record_id),
        "dataDomain": {"tenantId": tenant, "dataSegment": 0},
        "activeStatus": "ACTIVE",
        "version": 1,
        "auditInfo": {"createdBy": "ann", "createdDate": MOMENT},
        "price": Decimal128("1.50"),
        **members,
    }


@pytest.fixture(scope="module", params=[True, False], ids=["lane", "driver"])
async def store(mongo_uri: str, anyio_backend: str, request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """The store under test, one for the event loop of a module, with the lane and without."""
    opened = Store(mongo_uri, lane=request.param, timeout_ms=STORE_MS)
    yield opened
    await opened.close()


@pytest.fixture
def access_to(realm: str) -> AccessTo:
    """Leave for one tenant in a fresh database: ``access_to(WIDGET, "acme")``; without a tenant, for all."""

    def make(kind: RecordType[Any] = WIDGET, tenant: str | None = "acme", **scope: Any) -> Access:
        return Access(
            kind=kind,
            action=Action.UPDATE,
            database=realm,
            domain=DomainScope(tenant_id=tenant, **scope),
            hidden=kind.hidden,
        )

    return make
