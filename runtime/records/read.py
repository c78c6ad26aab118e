"""Reading records. ``list_records`` is the flat function to read first: allow → parse → find → page.

Answers are JSON made from stored documents; no model is built on the way out. What lies outside the
caller's scope is not found, because the scope is part of the query (decisions §0).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from runtime.access import Access, Action
from runtime.call import Call
from runtime.errors import Denied, InvalidParameter, NotFound
from runtime.filter import (
    EVERYTHING,
    Predicate,
    by_id,
    compile_filter,
    differs,
    equals,
    named_fields,
    parse_projection,
    parse_sort,
)
from runtime.record import Page, Record
from runtime.record_type import RecordType
from runtime.records.lifecycle import action_list
from runtime.records.queries import Count, CountParameters, JsonSchema, ListParameters
from runtime.security.guard import allow
from runtime.security.variables import filter_variables
from runtime.wire import Json, etag, names_tag, record_json, rows_json, to_json

R = TypeVar("R", bound=Record)

_NOT_ARCHIVED = differs(activeStatus="ARCHIVED")


async def list_records(call: Call, kind: RecordType[R], query: ListParameters) -> Json[Page[R]]:
    """A page of the records the caller may see (spec 2 §4.1; envelope of decisions §1)."""
    access = allow(call, kind, Action.VIEW)
    match = listed(call, access, query.filter)
    order = parse_sort(query.sort, kind, access.hidden)
    projection = parse_projection(query.projection, kind, access.hidden) if query.projection else None
    limit = page_limit(call, query.limit)
    documents = await call.service.store.find(
        access, match, order=order, projection=projection, skip=query.skip, limit=limit
    )
    page = {
        "offset": query.skip,
        "limit": limit,
        "rows": rows_json(documents),
        "rowCount": len(documents),
        "filter": query.filter,
        "sort": query.sort,
    }
    return Json(to_json({name: value for name, value in page.items() if value is not None}))


async def count_records(call: Call, kind: RecordType[Any], query: CountParameters) -> Json[Count]:
    """How many of the records the caller may see match."""
    access = allow(call, kind, Action.VIEW)
    number = await call.service.store.count(access, listed(call, access, query.filter))
    return Json(to_json({"count": number}))


async def get_by_id(call: Call, kind: RecordType[R], record_id: str, unless: str | None) -> Json[R]:
    """One record. ``unless`` is ``If-None-Match``: 304 when it names the stored version."""
    return await _get(call, kind, by_id(record_id), f"id {record_id}", unless)


async def get_by_ref_name(call: Call, kind: RecordType[R], ref_name: str, unless: str | None) -> Json[R]:
    """One record by its reference name, exact spelling."""
    return await _get(call, kind, equals(refName=ref_name), f"refName {ref_name[:200]}", unless)


async def get_schema(call: Call, kind: RecordType[Any]) -> Json[JsonSchema]:
    """The JSON Schema 2020-12 of what a caller reads."""
    allow(call, kind, Action.VIEW)
    return Json(_schema(kind), headers={"Content-Type": "application/schema+json"})


def listed(call: Call, access: Access, text: str | None) -> Predicate:
    """What a list shows: the filter, without archived records unless it names ``activeStatus``."""
    kind, match = access.kind, EVERYTHING
    if text:
        match = compile_filter(text, kind, filter_variables(call, kind), hidden=access.hidden)
    if kind.on_delete == "archive" and not (text and "activeStatus" in named_fields(text)):
        return _NOT_ARCHIVED & match
    return match


def page_limit(call: Call, asked: int | None) -> int:
    """The page size: as asked, at most the setting's."""
    most = call.service.settings.max_page_size
    if asked is not None and asked > most:
        raise InvalidParameter(f"limit is at most {most}", parameter="limit")
    return asked or min(call.service.settings.page_size, most)


def with_actions(call: Call, kind: RecordType[Any], document: dict[str, Any]) -> dict[str, Any]:
    """The document with its ``actionList`` (decisions §1)."""
    allowed = [action for action in Action if _may(call, kind, action)]
    return document | {"actionList": action_list(kind, document, allowed)}


async def _get(call: Call, kind: RecordType[R], match: Predicate, named: str, unless: str | None) -> Json[R]:
    access: Access = allow(call, kind, Action.VIEW)
    document = await call.service.store.find_one(access, match)
    if document is None:
        raise NotFound(f"no {kind.name} has the {named}")
    if unless is not None and names_tag(unless, etag(document)):
        return Json(b"", 304, {"ETag": etag(document)})
    return record_json(kind, with_actions(call, kind, document))


def _may(call: Call, kind: RecordType[Any], action: Action) -> bool:
    try:
        allow(call, kind, action)
    except Denied:
        return False
    return True


@lru_cache(maxsize=1024)
def _schema(kind: RecordType[Any]) -> bytes:
    schema = _tidy(kind.model.model_json_schema(mode="serialization", by_alias=True))
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{kind.base_path}/schema",
        "title": kind.name,
    }
    return to_json({**head, **schema})


def _tidy(schema: Any) -> Any:
    """Pydantic's schema as consumers expect it: absent fields are left out, so nothing read is null."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    choices = schema.get("anyOf")
    choices = (
        [choice for choice in choices if choice != {"type": "null"}] if isinstance(choices, list) else []
    )
    if len(choices) == 1:
        rest = {word: value for word, value in schema.items() if word not in ("anyOf", "default")}
        schema = {**choices[0], **rest}
    return {
        word: _tidy(value)
        for word, value in schema.items()
        if not (word == "title" and isinstance(value, str)) and not (word == "default" and value is None)
    }
