"""Article, from specs/shop/article.yaml. Written by the generator; do not edit."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import (
    EntityReference,
    ExactDecimal,
    LocalDate,
    Moment,
    ObjectIdText,
    Record,
    RecordInput,
    Strict,
    UniqueItems,
)
from sample_generated.models.address import Address
from sample_generated.models.point import Point


class ArticleMeasureBox(Strict):
    """Part of Article."""

    depth: int


class ArticleMeasure(Strict):
    """Part of Article."""

    height: Annotated[Decimal, ExactDecimal()]
    width: Annotated[Decimal | None, ExactDecimal()] = None
    box: ArticleMeasureBox | None = None


class ArticlePart(Strict):
    """Part of Article."""

    name: str
    supplier: EntityReference | None = None
    weights: list[Annotated[Decimal, ExactDecimal()]] | None = None


class ArticleSlot(Strict):
    """Part of Article."""

    shelf: str


class ArticleFields(Strict):
    """The fields that are both sent and read."""

    title: Annotated[str, Field(max_length=80, min_length=1)]
    code: Annotated[str, Field(pattern="^[A-Z]{2}\\d{3}$")]
    details: Annotated[str | None, Field(max_length=5000)] = None
    stock: Annotated[int | None, Field(ge=0, le=100000)] = 0
    batch: Annotated[int | None, Field(gt=0, lt=1000, multiple_of=5)] = None
    weight: Annotated[float | None, Field(gt=0.0)] = None
    price: Annotated[Decimal, Field(ge=0, multiple_of=0.01, description="Per piece."), ExactDecimal()]
    discount: Annotated[Decimal | None, Field(gt=-1, le=1), ExactDecimal()] = Decimal("0.25")
    on_sale: bool | None = True
    since: LocalDate | None = date.fromisoformat("2026-01-01")
    changed_at: Moment | None = datetime.fromisoformat("2026-01-01T08:00:00Z")
    source_id: ObjectIdText | None = None
    extra: Any = None
    size: Literal["SMALL", "MEDIUM", "EXTRA LARGE"] | None = "MEDIUM"
    status: Literal["DRAFT", "OFFERED", "DROPPED"] | None = None
    tags: Annotated[
        list[Annotated[str, Field(max_length=20)]] | None, Field(max_length=5, min_length=1), UniqueItems()
    ] = Field(default_factory=lambda: ["new"])
    matrix: list[list[int]] | None = None
    labels: dict[str, Annotated[str, Field(min_length=1)]] | None = Field(
        default_factory=lambda: {"en": "lamp"}
    )
    colours: Annotated[list[Literal["RED", "BLUE"]] | None, Field(max_length=2), UniqueItems()] = Field(
        default_factory=lambda: list[Literal["RED", "BLUE"]](["RED"])
    )
    grades: dict[str, list[Literal["A", "B"]]] | None = Field(
        default_factory=lambda: dict[str, list[Literal["A", "B"]]]({"first": ["A"]})
    )
    ratios: list[Annotated[float, Field(ge=0.0)]] | None = Field(
        default_factory=lambda: list[Annotated[float, Field(ge=0.0)]]([1, 2])
    )
    prices: dict[str, Annotated[Decimal, ExactDecimal()]] | None = None
    maker: EntityReference
    similar: Annotated[list[EntityReference] | None, Field(max_length=10), UniqueItems()] = None
    origin: Address | None = Field(
        default_factory=lambda: Address.model_validate_json('{"street": "1 Main Street", "city": "Lisbon"}')
    )
    places: list[Point] | None = None
    measures: Annotated[ArticleMeasure | None, Field(description="How large it is.")] = None
    parts: list[ArticlePart] | None = None
    slots: dict[str, ArticleSlot] | None = None
    mail: Annotated[str | None, Field(pattern="^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$")] = None
    link: Annotated[str | None, Field(pattern="^[A-Za-z][A-Za-z0-9+.-]*:[^\\s]+$")] = None
    rating: float | None = None
    sold: int | None = None
    old: Annotated[str | None, Field(description="Use title.", deprecated=True)] = None


class ArticleInput(ArticleFields, RecordInput):
    """Something on sale (as sent)."""

    token: Annotated[
        str | None,
        Field(pattern="^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"),
    ] = None
    label: str | None = None


class Article(ArticleFields, Record):
    """Something on sale."""

    label: str


class ArticleStored(ArticleInput):
    """Article as stored, with what only the server sets and nobody sees."""

    margin: Annotated[Decimal | None, ExactDecimal()] = None
