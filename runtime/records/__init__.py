"""The one path for reading and writing records. Every door comes through here."""

from runtime.records.bulk import bulk
from runtime.records.listing import count_records, find_records, list_records, list_references
from runtime.records.read import get_by_id, get_by_ref_name, get_schema
from runtime.records.write import delete_by_id, save

__all__ = [
    "bulk",
    "count_records",
    "delete_by_id",
    "find_records",
    "get_by_id",
    "get_by_ref_name",
    "get_schema",
    "list_records",
    "list_references",
    "save",
]
