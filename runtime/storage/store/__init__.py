"""The only door to MongoDB. Every command is bound to the scope of its ``Access``."""

from runtime.storage.store.batches import Batches
from runtime.storage.store.changes import Changes, Document, Replacement
from runtime.storage.store.date_units import Unit
from runtime.storage.store.faults import translate_faults
from runtime.storage.store.following import ANYTHING, Changed, Following
from runtime.storage.store.grouping import Function, Grouping, Key, Measure, key_column, measure_column
from runtime.storage.store.stages import LOCK, AnyOrder, build_collation
from runtime.storage.store.store import AnyStore, Store, Transaction
from runtime.storage.store.turns import Left, Line

__all__ = [
    "ANYTHING", "LOCK", "AnyOrder", "AnyStore", "Batches", "Changed", "Changes", "Document", "Following",
    "Function", "Grouping", "Key", "Left", "Line", "Measure", "Replacement", "Store", "Transaction", "Unit",
    "build_collation", "key_column", "measure_column", "translate_faults",
]  # fmt: skip
