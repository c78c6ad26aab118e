"""Routes of Article at /shop/articles, from specs/shop/article.yaml. Written by the generator; do not edit."""

from runtime import records
from runtime.http import (
    Bulk,
    BulkAnswer,
    Calling,
    Count,
    CountQuery,
    EntityReference,
    FindBody,
    IfMatch,
    IfNoneMatch,
    Json,
    JsonSchema,
    ListQuery,
    Page,
    RecordId,
    RecordRouter,
    ReferenceQuery,
    RefName,
)
from sample_generated.models.article import Article, ArticleInput
from sample_generated.record_types import ARTICLE

router = RecordRouter(area="shop", prefix="/shop/articles", tags=["Article"])


@router.get("/list", operation_id="article_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Article]]:
    """List articles."""
    return await records.list_records(call, ARTICLE, query)


@router.post("/find", operation_id="article_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Article]]:
    """Find articles, asked for in a body."""
    return await records.find_records(call, ARTICLE, body)


@router.get("/entityref", operation_id="article_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to articles."""
    return await records.list_references(call, ARTICLE, query)


@router.get("/count", operation_id="article_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count articles."""
    return await records.count_records(call, ARTICLE, query)


@router.get("/schema", operation_id="article_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of an article."""
    return await records.get_schema(call, ARTICLE)


@router.get("/id/{id}", operation_id="article_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Article]:
    """Get an article by id."""
    return await records.get_by_id(call, ARTICLE, record_id, unless)


@router.get("/refName/{refName}", operation_id="article_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Article]:
    """Get an article by reference name."""
    return await records.get_by_ref_name(call, ARTICLE, ref_name, unless)


@router.post("", operation_id="article_save")
async def save(call: Calling, body: ArticleInput, expected: IfMatch = None) -> Json[Article]:
    """Insert or replace an article."""
    return await records.save(call, ARTICLE, body, expected)


@router.post("/bulk", operation_id="article_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many articles."""
    return await records.bulk(call, ARTICLE, body)


@router.delete("/id/{id}", operation_id="article_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete an article."""
    return await records.delete_by_id(call, ARTICLE, record_id, expected)
