"""Routes of Article at /shop/articles, from specs/shop/article.yaml. Written by the generator; do not edit."""

from runtime import records, transfer
from runtime.http import (
    Bulk,
    BulkAnswer,
    BulkSet,
    BulkTerms,
    Calling,
    CommitResult,
    Count,
    CountQuery,
    EntityReference,
    Expand,
    ExportQuery,
    FindBody,
    IfNoneMatch,
    ImportAnswer,
    ImportQuery,
    ImportResult,
    ImportRows,
    ImportRowsQuery,
    Json,
    JsonSchema,
    KeyTerms,
    ListQuery,
    MergePatch,
    Page,
    ProfileQuery,
    RecordId,
    RecordRouter,
    RecordStates,
    RecordTransitions,
    ReferenceQuery,
    RefName,
    SessionId,
    SetQuery,
    Stream,
    Upload,
    WriteTerms,
)
from sample_generated.models.article import Article, ArticleInput
from sample_generated.record_types import ARTICLE

router = RecordRouter(area="shop", prefix="/shop/articles", records=ARTICLE, tags=["Article"])


@router.get("/list", operation_id="article_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Article]]:
    """List articles."""
    return await records.list_records(call, ARTICLE, query)


@router.post("/find", operation_id="article_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Article]]:
    """Find articles with a JSON body."""
    return await records.find_records(call, ARTICLE, body)


@router.get("/entityref", operation_id="article_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to articles."""
    return await records.list_references(call, ARTICLE, query)


@router.get("/count", operation_id="article_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count articles."""
    return await records.count_records(call, ARTICLE, query)


@router.get("/csv", operation_id="article_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export articles as CSV."""
    return await transfer.export_csv(call, ARTICLE, query)


@router.post("/csv", operation_id="article_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import articles from a CSV file."""
    return await transfer.import_csv(call, ARTICLE, query, file, terms)


@router.post(
    "/csv/session", operation_id="article_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of articles."""
    return await transfer.open_session(call, ARTICLE, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="article_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for articles with an import profile."""
    return await transfer.open_profile_session(call, ARTICLE, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="article_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, ARTICLE, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="article_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, ARTICLE, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="article_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, ARTICLE, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="article_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, ARTICLE, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="article_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, ARTICLE, session_id)


@router.get("/schema", operation_id="article_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of an article."""
    return await records.get_schema(call, ARTICLE)


@router.get("/id/{id}", operation_id="article_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Article]:
    """Get an article by id."""
    return await records.get_by_id(call, ARTICLE, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="article_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Article]:
    """Get an article by reference name."""
    return await records.get_by_ref_name(call, ARTICLE, ref_name, unless, expand)


@router.get("/states", operation_id="article_states")
async def get_states(call: Calling) -> Json[RecordStates]:
    """Get the state graphs of articles."""
    return await records.get_states(call, ARTICLE)


@router.get("/id/{id}/transitions", operation_id="article_transitions")
async def get_transitions(call: Calling, record_id: RecordId) -> Json[RecordTransitions]:
    """Get the allowed transitions of an article."""
    return await records.get_transitions(call, ARTICLE, record_id)


@router.post("", operation_id="article_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: ArticleInput, terms: WriteTerms) -> Json[Article]:
    """Insert or replace an article."""
    return await records.save(call, ARTICLE, body, terms)


@router.put("/set", operation_id="article_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Article]:
    """Set some fields of an article."""
    return await records.set_fields(call, ARTICLE, query, terms)


@router.patch("/id/{id}", operation_id="article_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Article]:
    """Change an article with a merge patch."""
    return await records.patch(call, ARTICLE, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="article_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many articles."""
    return await records.run_bulk(call, ARTICLE, body, terms)


@router.put("/bulk/set", operation_id="article_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many articles."""
    return await records.run_bulk_set(call, ARTICLE, body, terms)


@router.delete("/id/{id}", operation_id="article_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete an article."""
    return await records.delete_by_id(call, ARTICLE, record_id, terms)
