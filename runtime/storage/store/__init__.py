"""The only door to MongoDB. Every command is bound to the scope of its ``Access``."""

from runtime.storage.lane import Ask, Watch
from runtime.storage.store.batches import Batches
from runtime.storage.store.changes import Changes, Replacement
from runtime.storage.store.date_units import Unit
from runtime.storage.store.faults import FaultTranslation, describe_refusal, explain_faults, is_driver_fault
from runtime.storage.store.feed import CollectionName, Feed, HistoryLost
from runtime.storage.store.following import ANYTHING, Changed, Following
from runtime.storage.store.grouping import Function, Grouping, Key, Measure, key_column, measure_column
from runtime.storage.store.links import Linked, Links, Opposed, Provided
from runtime.storage.store.moving import Range
from runtime.storage.store.pages import Part
from runtime.storage.store.sizes import count_bytes
from runtime.storage.store.stages import LOCK, AnyOrder, build_collation
from runtime.storage.store.store import AnyStore, Store, Transaction
from runtime.storage.store.turns import Left, Line
from runtime.storage.store.whole import Snapshot
from runtime.storage.store.written import Place, Seen, Written

__all__ = [
    "ANYTHING", "LOCK", "AnyOrder", "AnyStore", "Ask", "Batches", "Changed", "Changes", "CollectionName",
    "FaultTranslation", "Feed", "Following", "Function", "Grouping", "HistoryLost", "Key", "Left", "Line",
    "Linked", "Links", "Measure", "Opposed", "Part", "Place", "Provided", "Range", "Replacement", "Seen",
    "Snapshot", "Store", "Transaction", "Unit", "Watch", "Written", "build_collation", "count_bytes",
    "describe_refusal", "explain_faults", "is_driver_fault", "key_column", "measure_column",
]  # fmt: skip
