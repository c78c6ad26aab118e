"""The filter language: text → checked ``Predicate``. Pure.

README.md in this folder describes the language. The tree (``syntax``), literal typing for other
readers of text (``values``) and the printer (``print``) are imported from their own modules.
"""

from runtime.filter.admits import admits
from runtime.filter.compiler import (
    Undecidable,
    compile_filter,
    compile_for_all,
    compile_having,
    compile_rule_filter,
    match_values,
)
from runtime.filter.edges import ask_edges_alone, list_besides_edge
from runtime.filter.effort import MOST_AT_ONCE, RecordWeight, WeighedFilter, weigh_record
from runtime.filter.exact import without_collation
from runtime.filter.fields import Columns, Field, locate
from runtime.filter.former import under_former_names
from runtime.filter.keyset import RowOrder, after, row_order, tells_apart
from runtime.filter.limits import count_parts
from runtime.filter.moment import Moment, is_relative
from runtime.filter.names import named_fields, named_paths
from runtime.filter.order import SCORE, Marks, Order, split_marks
from runtime.filter.ordering import Projection, parse_order, parse_projection, parse_sort, project_marks
from runtime.filter.own_id import OWN_ID, OwnId
from runtime.filter.parse import parse_filter, parse_paths, parse_query
from runtime.filter.predicate import (
    EVERYTHING,
    NOTHING,
    Predicate,
    any_of,
    by_id,
    by_id_range,
    by_ids,
    differs,
    equals,
    has_any,
    in_tenant,
    lacks,
    none_of,
    one_of,
    refers_to,
    unchanged,
)
from runtime.filter.relations import RelationResolver, refuse_blocks
from runtime.filter.resolvers import EdgeResolver
from runtime.filter.resource import named
from runtime.filter.searches import SearchResolver
from runtime.filter.shown import name_as_declared, show_declared

__all__ = [
    "EVERYTHING",
    "MOST_AT_ONCE",
    "NOTHING",
    "OWN_ID",
    "SCORE",
    "Columns",
    "EdgeResolver",
    "Field",
    "Marks",
    "Moment",
    "Order",
    "OwnId",
    "Predicate",
    "Projection",
    "RecordWeight",
    "RelationResolver",
    "RowOrder",
    "SearchResolver",
    "Undecidable",
    "WeighedFilter",
    "admits",
    "after",
    "any_of",
    "ask_edges_alone",
    "by_id",
    "by_id_range",
    "by_ids",
    "compile_filter",
    "compile_for_all",
    "compile_having",
    "compile_rule_filter",
    "count_parts",
    "differs",
    "equals",
    "has_any",
    "in_tenant",
    "is_relative",
    "lacks",
    "list_besides_edge",
    "locate",
    "match_values",
    "name_as_declared",
    "named",
    "named_fields",
    "named_paths",
    "none_of",
    "one_of",
    "parse_filter",
    "parse_order",
    "parse_paths",
    "parse_projection",
    "parse_query",
    "parse_sort",
    "project_marks",
    "refers_to",
    "refuse_blocks",
    "row_order",
    "show_declared",
    "split_marks",
    "tells_apart",
    "unchanged",
    "under_former_names",
    "weigh_record",
    "without_collation",
]
