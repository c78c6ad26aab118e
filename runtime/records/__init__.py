"""The one path for reading and writing records. Every door comes through here."""

from runtime.records.attempt import Writing
from runtime.records.effects.history import get_history
from runtime.records.operations.bulk import run_bulk
from runtime.records.operations.bulk_set import run_bulk_set
from runtime.records.operations.delete_many import Deleting, delete_matching
from runtime.records.operations.listing import count_records, find_records, list_records, list_references
from runtime.records.operations.partial import patch, patch_stamped, patch_together, set_fields
from runtime.records.operations.read import get_by_id, get_by_ref_name
from runtime.records.operations.states import get_states, get_transitions
from runtime.records.operations.write import delete_by_id, insert_under, restore, save
from runtime.records.schema import get_schema

__all__ = [
    "Deleting",
    "Writing",
    "count_records",
    "delete_by_id",
    "delete_matching",
    "find_records",
    "get_by_id",
    "get_by_ref_name",
    "get_history",
    "get_schema",
    "get_states",
    "get_transitions",
    "insert_under",
    "list_records",
    "list_references",
    "patch",
    "patch_stamped",
    "patch_together",
    "restore",
    "run_bulk",
    "run_bulk_set",
    "save",
    "set_fields",
]
