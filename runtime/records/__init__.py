"""The one path for reading and writing records. Every door comes through here."""

from runtime.records.bulk import bulk
from runtime.records.read import count_records, get_by_id, get_by_ref_name, get_schema, list_records
from runtime.records.write import delete_by_id, save

__all__ = [
    "bulk",
    "count_records",
    "delete_by_id",
    "get_by_id",
    "get_by_ref_name",
    "get_schema",
    "list_records",
    "save",
]
