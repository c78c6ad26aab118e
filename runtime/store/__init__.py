"""The only door to MongoDB. Every command is bound to the scope of its ``Access``."""

from runtime.store.batches import Batches
from runtime.store.changes import Changes, Document, Replacement
from runtime.store.faults import faults
from runtime.store.following import ANYTHING, Changed, Following
from runtime.store.reads import Order
from runtime.store.stages import LOCK, OTHER, Leaf
from runtime.store.store import Store
from runtime.store.turns import Left, Line

__all__ = [
    "ANYTHING", "LOCK", "OTHER", "Batches", "Changed", "Changes", "Document", "Following", "Leaf", "Left",
    "Line", "Order", "Replacement", "Store", "faults",
]  # fmt: skip
