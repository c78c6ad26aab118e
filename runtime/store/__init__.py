"""The only door to MongoDB. Every command is bound to the scope of its ``Access``."""

from runtime.store.changes import Changes, Document
from runtime.store.faults import faults
from runtime.store.store import Order, Store

__all__ = ["Changes", "Document", "Order", "Store", "faults"]
