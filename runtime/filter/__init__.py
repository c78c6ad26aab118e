"""The filter language: text → checked ``Predicate`` (spec 2 §4.2, decisions §2). Pure."""

from runtime.filter.ordering import Projection
from runtime.filter.predicate import EVERYTHING, NOTHING, Predicate, by_id, by_ids, equals, one_of

__all__ = ["EVERYTHING", "NOTHING", "Predicate", "Projection", "by_id", "by_ids", "equals", "one_of"]
