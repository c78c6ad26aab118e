"""The tools that programs and agents use by their names. Written by the generator; do not edit."""

import runtime.gateway.importing
import runtime.gateway.reading
import runtime.gateway.relationships
import runtime.gateway.writing
import runtime.model.tool
from runtime.gateway import (
    call_endpoint,
    call_remote,
    count_matching,
    move_state,
    query_records,
    save_arguments,
)
from runtime.model.later import Later
from runtime.system.models.query_aggregate_request import QueryAggregateRequest
from runtime.system.models.query_count_request import QueryCountRequest
from runtime.system.models.query_delete_many_request import QueryDeleteManyRequest
from runtime.system.models.query_delete_request import QueryDeleteRequest
from runtime.system.models.query_export_request import QueryExportRequest
from runtime.system.models.query_find_request import QueryFindRequest
from runtime.system.models.query_import_commit_request import QueryImportCommitRequest
from runtime.system.models.query_import_request import QueryImportRequest
from runtime.system.models.query_import_rows_request import QueryImportRowsRequest
from runtime.system.models.query_import_session_request import QueryImportSessionRequest
from runtime.system.models.query_plan_request import QueryPlanRequest
from runtime.system.models.query_predicates_request import QueryPredicatesRequest
from runtime.system.models.query_relationships_request import QueryRelationshipsRequest
from runtime.system.models.query_root_types_request import QueryRootTypesRequest
from runtime.system.models.query_save_request import QuerySaveRequest
from sample_generated.models.count_articles_arguments import CountArticlesArguments
from sample_generated.models.drop_article_arguments import DropArticleArguments
from sample_generated.models.find_articles_arguments import FindArticlesArguments
from sample_generated.models.greet_arguments import GreetArguments
from sample_generated.models.greeting_request import GreetingRequest
from sample_generated.models.save_maker_arguments import SaveMakerArguments
from sample_generated.models.send_invoice_arguments import SendInvoiceArguments

TOOLS: tuple[runtime.model.tool.Tool, ...] = (
    runtime.model.tool.Tool(
        name="query_rootTypes",
        area="gateway",
        description="Lists the record types that you may query. Begin here.",
        body=QueryRootTypesRequest,
        run=runtime.gateway.reading.list_root_types,
        arguments={
            "description": "Where to look for record types.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                }
            },
        },
        answer={
            "description": "The record types that the caller may view.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootTypes": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/RootType"},
                    "description": "Sorted by area and name.",
                }
            },
            "required": ["rootTypes"],
            "$defs": {
                "RootType": {
                    "description": "A record type that can be queried, and what its records are called.",
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "className": {
                            "type": "string",
                            "description": "Area and name, for `rootType`.",
                            "examples": ["shop.Article"],
                        },
                        "simpleName": {
                            "type": "string",
                            "description": "The name, also for `rootType`.",
                            "examples": ["Article"],
                        },
                        "collectionName": {
                            "type": "string",
                            "description": "The collection that stores the records.",
                            "examples": ["articles"],
                        },
                        "path": {
                            "type": "string",
                            "description": "The path of the routes of its records.",
                            "examples": ["/shop/articles"],
                        },
                    },
                    "required": ["className", "simpleName", "collectionName", "path"],
                }
            },
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_plan",
        area="gateway",
        description="Checks a query and returns how it would be executed.",
        body=QueryPlanRequest,
        run=runtime.gateway.reading.plan,
        arguments={
            "description": "What to plan.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "query": {
                    "type": ["string", "null"],
                    "maxLength": 16384,
                    "description": "Which records, in the filter language, with `expand(…)` and `fields:[…]` (`-id` leaves out the id); absent for all.",
                    "examples": ["refName:A* && expand(maker)"],
                },
                "timeZone": {
                    "type": ["string", "null"],
                    "maxLength": 64,
                    "description": "The time zone of the dates in the query, by its IANA name.",
                    "default": "UTC",
                    "examples": ["Europe/Berlin"],
                },
                "explain": {
                    "type": ["boolean", "null"],
                    "description": "Whether to add what would be sent, and its cost.",
                    "default": False,
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType"],
        },
        answer={
            "description": "How a query is executed; `pipeline`, `index` and `cost` only where they are requested.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "mode": {
                    "type": "string",
                    "enum": ["FILTER", "AGGREGATION"],
                    "description": "`AGGREGATION`: the query embeds records in place of references.",
                },
                "expandPaths": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "The paths that are expanded.",
                },
                "pipeline": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "The queries to the store, in their order. Each also has the caller's scope and rules, which are not shown.",
                },
                "index": {
                    "$ref": "#/$defs/QueryPlanIndex",
                    "description": "For administrators: how MongoDB would look for the records, as its own `explain` says.",
                },
                "cost": {
                    "$ref": "#/$defs/QueryPlanCost",
                    "description": "What a page would cost, estimated.",
                },
            },
            "required": ["mode", "expandPaths"],
            "$defs": {
                "QueryPlanCost": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "commands": {
                            "type": "integer",
                            "format": "int64",
                            "minimum": 1,
                            "description": "Maximum number of queries to the store.",
                        },
                        "matched": {
                            "type": "integer",
                            "format": "int64",
                            "minimum": 0,
                            "description": "Number of matching records, counted up to 10000.",
                        },
                        "rows": {
                            "type": "integer",
                            "format": "int64",
                            "minimum": 0,
                            "description": "Number of records in the first page.",
                        },
                        "references": {
                            "type": "integer",
                            "format": "int64",
                            "minimum": 0,
                            "description": "References that the page may replace by records, at most.",
                        },
                    },
                    "required": ["commands", "matched", "rows"],
                },
                "QueryPlanIndex": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "names": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "The indexes it would use.",
                        },
                        "scans": {
                            "type": "boolean",
                            "description": "Whether it would read all records of the type.",
                        },
                        "sorts": {
                            "type": "boolean",
                            "description": "Whether it would sort in memory: no index has the order.",
                        },
                    },
                    "required": ["names", "scans", "sorts"],
                },
            },
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_find",
        area="gateway",
        description="Returns a page of records that match a query, such as status:BOOKED && expand(customer). Ask for more by cursor.",
        body=QueryFindRequest,
        run=runtime.gateway.reading.find,
        arguments={
            "description": "Which records to find, in which order, and which page of them.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "query": {
                    "type": ["string", "null"],
                    "maxLength": 16384,
                    "description": "Which records, in the filter language, with `expand(…)` and `fields:[…]` (`-id` leaves out the id); absent for all.",
                    "examples": ["refName:A*"],
                },
                "timeZone": {
                    "type": ["string", "null"],
                    "maxLength": 64,
                    "description": "The time zone of the dates in the query, by its IANA name.",
                    "default": "UTC",
                    "examples": ["Europe/Berlin"],
                },
                "page": {
                    "anyOf": [{"$ref": "#/$defs/QueryFindRequestPageInput"}, {"type": "null"}],
                    "description": "The page, in place of `limit` and `skip`.",
                },
                "limit": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 1,
                    "maximum": 1000,
                    "description": "Maximum number of records to return (default 50).",
                    "examples": [20],
                },
                "skip": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 2147483647,
                    "description": "Number of records to skip (default 0).",
                },
                "sort": {
                    "type": ["array", "null"],
                    "items": {"$ref": "#/$defs/QueryFindRequestSortInput"},
                    "maxItems": 20,
                    "description": "The order; the first field counts first. Fields may have marks, such as `name~ci~nullslast`.",
                },
                "cursor": {
                    "type": ["string", "null"],
                    "maxLength": 8192,
                    "pattern": "^[A-Za-z0-9_-]*$",
                    "description": "The `nextCursor` of a page, with the same query and sort.",
                },
                "count": {
                    "anyOf": [{"type": "string", "enum": ["none", "exact", "estimated"]}, {"type": "null"}],
                    "description": "Whether to return `totalCount`; `estimated`: up to 10000.",
                    "default": "none",
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType"],
            "$defs": {
                "QueryFindRequestPageInput": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "limit": {
                            "type": ["integer", "null"],
                            "format": "int64",
                            "minimum": 1,
                            "maximum": 1000,
                            "description": "Maximum number of records to return.",
                        },
                        "skip": {
                            "type": ["integer", "null"],
                            "format": "int64",
                            "minimum": 0,
                            "maximum": 2147483647,
                            "description": "Number of records to skip.",
                        },
                    },
                },
                "QueryFindRequestSortInput": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "field": {
                            "type": "string",
                            "maxLength": 300,
                            "pattern": "^[^,+\\-\\s][^,]*$",
                            "description": "A field, dotted.",
                            "examples": ["refName"],
                        },
                        "dir": {
                            "anyOf": [{"type": "string", "enum": ["ASC", "DESC"]}, {"type": "null"}],
                            "description": "The direction.",
                            "default": "ASC",
                        },
                    },
                    "required": ["field"],
                },
            },
        },
        answer={
            "description": "A page of records.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "offset": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of records before this page.",
                },
                "limit": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Maximum number of records in a page.",
                    "examples": [50],
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "The records, as their own routes return them, with embedded records in place of references that are expanded.",
                },
                "rowCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of records in this page.",
                },
                "totalCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of all matching records, if requested.",
                },
                "filter": {"type": "string", "description": "The filter that was applied."},
                "sort": {
                    "type": "string",
                    "description": "The order, as lists take it.",
                    "examples": ["-refName"],
                },
                "nextCursor": {
                    "type": "string",
                    "description": "Where the next page begins; absent on the last one.",
                },
            },
            "required": ["offset", "limit", "rows", "rowCount"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_count",
        area="gateway",
        description="Counts the records of a type that match a query.",
        body=QueryCountRequest,
        run=runtime.gateway.reading.count,
        arguments={
            "description": "Which records to count.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "query": {
                    "type": ["string", "null"],
                    "maxLength": 16384,
                    "description": "Which records, in the filter language.",
                    "examples": ["refName:A*"],
                },
                "timeZone": {
                    "type": ["string", "null"],
                    "maxLength": 64,
                    "description": "The time zone of the dates in the query, by its IANA name.",
                    "default": "UTC",
                    "examples": ["Europe/Berlin"],
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType"],
        },
        answer={
            "description": "How many records match.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "count": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "Number of matching records that the caller may see.",
                }
            },
            "required": ["count"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_aggregate",
        area="gateway",
        description="Groups records by fields or dates, and counts, sums or averages each.",
        body=QueryAggregateRequest,
        run=runtime.gateway.reading.aggregate,
        arguments={
            "description": "The records to group, by which fields, and the measures of each group.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "query": {
                    "type": ["string", "null"],
                    "maxLength": 16384,
                    "description": "Which records, in the filter language.",
                    "examples": ["refName:A*"],
                },
                "groupBy": {
                    "type": ["array", "null"],
                    "items": {"type": "string", "minLength": 1, "maxLength": 500},
                    "maxItems": 8,
                    "description": "Fields; of dates `placedAt.by(month)`, or by `year`, `quarter`, `week`, `day`, `hour`. ` as name` renames a column. A field in a list groups its elements. Empty: one group.",
                    "examples": [["size", "auditInfo.createdDate.by(month) as month"]],
                },
                "measures": {
                    "type": ["object", "null"],
                    "additionalProperties": {"type": "string", "minLength": 1, "maxLength": 500},
                    "description": "Column name → `count`, or `countDistinct`, `sum`, `avg`, `min` or `max` of a field, such as `sum(total)`. None: the distinct values of `groupBy`.",
                    "examples": [{"records": "count"}],
                },
                "timeZone": {
                    "type": ["string", "null"],
                    "maxLength": 64,
                    "description": "The time zone of years to hours, by its IANA name.",
                    "default": "UTC",
                    "examples": ["Europe/Lisbon"],
                },
                "having": {
                    "type": ["string", "null"],
                    "maxLength": 16384,
                    "description": "Which groups: a filter on the columns.",
                    "examples": ["records:>5"],
                },
                "sort": {
                    "type": ["string", "null"],
                    "maxLength": 1024,
                    "description": "Comma-separated columns; `-` descends.",
                    "examples": ["-records"],
                },
                "skip": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 2147483647,
                    "description": "Number of groups to skip.",
                    "default": 0,
                },
                "limit": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 1,
                    "maximum": 1000,
                    "description": "Maximum number of groups to return (default 50).",
                    "examples": [20],
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType"],
        },
        answer={
            "description": "Groups of records, one a row.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "offset": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of groups before this page.",
                },
                "limit": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Maximum number of groups in a page.",
                    "examples": [50],
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "Column name → value; null where there is none.",
                },
                "rowCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of groups in this page.",
                },
                "hasMore": {"type": "boolean", "description": "Whether more groups follow."},
                "query": {"type": "string", "description": "The filter that was applied."},
            },
            "required": ["offset", "limit", "rows", "rowCount", "hasMore"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_relationships",
        area="gateway",
        description="Lists how a record is connected with others.",
        body=QueryRelationshipsRequest,
        run=runtime.gateway.relationships.list_relationships,
        arguments={
            "description": "Which edges of a record.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "entityId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The id of the record.",
                },
                "direction": {
                    "anyOf": [{"type": "string", "enum": ["out", "in", "both"]}, {"type": "null"}],
                    "description": "From the record, to it, or both.",
                    "default": "both",
                },
                "predicate": {
                    "type": ["string", "null"],
                    "maxLength": 80,
                    "description": "Only this predicate.",
                    "examples": ["madeBy"],
                },
                "limit": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 1,
                    "maximum": 1000,
                    "description": "Maximum number of edges to return (default 50).",
                    "examples": [20],
                },
                "skip": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 2147483647,
                    "description": "Number of edges to skip (default 0).",
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["entityId"],
        },
        answer={
            "description": "A page of the edges of a record.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "offset": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of edges before this page.",
                },
                "limit": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Maximum number of edges in a page.",
                    "examples": [50],
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "The edges, as the ontology routes of records return them.",
                },
                "rowCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of edges in this page.",
                },
                "hasMore": {"type": "boolean", "description": "Whether more edges follow."},
            },
            "required": ["offset", "limit", "rows", "rowCount", "hasMore"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_predicates",
        area="gateway",
        description="Lists the predicates; in a query hasEdge(predicate, id).",
        body=QueryPredicatesRequest,
        run=runtime.gateway.relationships.list_predicates,
        arguments={
            "description": "Which predicates of the ontology.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "domainFilter": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "Only from this record type.",
                    "examples": ["Article"],
                },
                "rangeFilter": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "Only to this record type.",
                    "examples": ["Maker"],
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
        },
        answer={
            "description": "Predicates of the ontology, between record types that the caller may view.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "predicates": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/PredicateListPredicate"},
                    "description": "Sorted by name.",
                }
            },
            "required": ["predicates"],
            "$defs": {
                "PredicateListPredicate": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "name": {
                            "type": "string",
                            "description": "The name, as filters take it.",
                            "examples": ["basedIn"],
                        },
                        "domain": {
                            "type": "string",
                            "description": "The record type that it leads from.",
                            "examples": ["Supplier"],
                        },
                        "range": {
                            "type": "string",
                            "description": "The record type that it leads to.",
                            "examples": ["Region"],
                        },
                        "inverse": {
                            "type": "string",
                            "description": "The predicate of the opposite direction.",
                            "examples": ["isBaseOf"],
                        },
                        "transitive": {
                            "type": "boolean",
                            "description": "Whether a→b and b→c give a→c.",
                            "examples": [False],
                        },
                        "symmetric": {
                            "type": "boolean",
                            "description": "Whether a→b gives b→a.",
                            "examples": [False],
                        },
                        "subPropertyOf": {
                            "type": "string",
                            "description": "A wider predicate that follows from it.",
                            "examples": ["exposedTo"],
                        },
                        "chain": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "Predicates that, walked in order, give this one.",
                            "examples": [["shipsFrom", "liesIn"]],
                        },
                        "description": {
                            "type": "string",
                            "description": "What it means.",
                            "examples": ["A supplier is based where it ships from."],
                        },
                    },
                    "required": ["name", "domain", "range", "transitive", "symmetric"],
                }
            },
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_save",
        area="gateway",
        description="Inserts or replaces a record. When unsure, try dryRun first.",
        body=QuerySaveRequest,
        run=runtime.gateway.writing.save,
        arguments={
            "description": "The record to insert or replace.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "entity": {
                    "type": "object",
                    "additionalProperties": {},
                    "description": "The record; with an `id` it replaces that one, with `version` that version only. Absent members are cleared.",
                    "examples": [
                        {
                            "refName": "ARTICLE-1",
                            "title": "Lamp",
                            "code": "AB123",
                            "price": "12.50",
                            "maker": {"entityId": "65f1c0de65f1c0de65f1c0de"},
                        }
                    ],
                },
                "dryRun": {
                    "type": ["boolean", "null"],
                    "description": "Whether to check everything and change nothing.",
                    "default": False,
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "entity"],
        },
        answer={
            "description": "A record that was saved.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9a-f]{24}$", "description": "The id of the record."},
                "version": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 1,
                    "description": "Its version.",
                },
                "inserted": {"type": "boolean", "description": "Whether the record is new."},
                "record": {
                    "type": "object",
                    "additionalProperties": {},
                    "description": "The record as the caller sees it; absent where the caller may not view it.",
                },
            },
            "required": ["id", "version", "inserted"],
        },
        hints=runtime.model.tool.Hints(destructive=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_delete",
        area="gateway",
        description="Deletes a record. Untracked references stay.",
        body=QueryDeleteRequest,
        run=runtime.gateway.writing.delete,
        arguments={
            "description": "The record to delete.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "id": {"type": "string", "pattern": "^[0-9a-f]{24}$", "description": "The id of the record."},
                "dryRun": {
                    "type": ["boolean", "null"],
                    "description": "Whether to check everything and change nothing.",
                    "default": False,
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "id"],
        },
        answer={
            "description": "How many records were deleted.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "matched": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "Number of records that match.",
                },
                "deleted": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "Number of records that were deleted, or archived where the record type says so; 0 for a dry run.",
                },
            },
            "required": ["matched", "deleted"],
        },
        hints=runtime.model.tool.Hints(destructive=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_deleteMany",
        area="gateway",
        description="Deletes all records that match a query, or none. Count first with dryRun.",
        body=QueryDeleteManyRequest,
        run=runtime.gateway.writing.delete_many,
        arguments={
            "description": "Which records to delete; all of them, or none if one cannot be deleted.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 16384,
                    "pattern": "\\S",
                    "description": "Which records, in the filter language.",
                    "examples": ["refName:OLD-*"],
                },
                "timeZone": {
                    "type": ["string", "null"],
                    "maxLength": 64,
                    "description": "The time zone of the dates in the query, by its IANA name.",
                    "default": "UTC",
                    "examples": ["Europe/Berlin"],
                },
                "dryRun": {
                    "type": ["boolean", "null"],
                    "description": "Whether to check everything and change nothing.",
                    "default": False,
                },
                "confirm": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 100000,
                    "description": "How many records match, as a dry run has counted. Else nothing is deleted.",
                    "examples": [0],
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "query"],
        },
        answer={
            "description": "How many records were deleted.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "matched": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "Number of records that match.",
                },
                "deleted": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "Number of records that were deleted, or archived where the record type says so; 0 for a dry run.",
                },
            },
            "required": ["matched", "deleted"],
        },
        hints=runtime.model.tool.Hints(destructive=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_export",
        area="gateway",
        description="Returns records that match a query as CSV; at most 1 MiB.",
        body=QueryExportRequest,
        run=runtime.gateway.reading.export,
        arguments={
            "description": "Which records and fields to export as CSV.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "query": {
                    "type": ["string", "null"],
                    "maxLength": 16384,
                    "description": "Which records, in the filter language.",
                    "examples": ["refName:A*"],
                },
                "timeZone": {
                    "type": ["string", "null"],
                    "maxLength": 64,
                    "description": "The time zone of the dates in the query, by its IANA name.",
                    "default": "UTC",
                    "examples": ["Europe/Berlin"],
                },
                "columns": {
                    "type": ["array", "null"],
                    "items": {"type": "string", "minLength": 1, "maxLength": 300, "pattern": "^[^,]+$"},
                    "minItems": 1,
                    "maxItems": 200,
                    "description": "Fields, dotted; `list[0].field` makes a row of each item (default refName).",
                    "examples": [["refName", "displayName"]],
                },
                "sort": {
                    "type": ["array", "null"],
                    "items": {"$ref": "#/$defs/QueryExportRequestSortInput"},
                    "maxItems": 20,
                    "description": "The order; the first field counts first. Fields may have marks, such as `name~ci~nullslast`.",
                },
                "limit": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 1,
                    "maximum": 2147483647,
                    "description": "Maximum number of records (default 1000).",
                    "examples": [100],
                },
                "skip": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 2147483647,
                    "description": "Number of records to skip.",
                    "default": 0,
                },
                "includeHeader": {
                    "type": ["boolean", "null"],
                    "description": "Whether to write the column names as the first row.",
                    "default": True,
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType"],
            "$defs": {
                "QueryExportRequestSortInput": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "field": {
                            "type": "string",
                            "maxLength": 300,
                            "pattern": "^[^,+\\-\\s][^,]*$",
                            "description": "A field, dotted.",
                            "examples": ["refName"],
                        },
                        "dir": {
                            "anyOf": [{"type": "string", "enum": ["ASC", "DESC"]}, {"type": "null"}],
                            "description": "The direction.",
                            "default": "ASC",
                        },
                    },
                    "required": ["field"],
                }
            },
        },
        answer={
            "description": "Records as CSV.",
            "type": "object",
            "additionalProperties": False,
            "properties": {"csv": {"type": "string", "description": "The whole file."}},
            "required": ["csv"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_import_analyze",
        area="gateway",
        description="Analyses a CSV file: what each row would do. Nothing is stored before the commit.",
        body=QueryImportRequest,
        run=runtime.gateway.importing.analyze,
        arguments={
            "description": "A CSV file to import, and how to read it.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "csv": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The whole file, with a header line.",
                    "examples": [
                        "refName,title,code,price,maker.entityRefName\nARTICLE-1,Lamp,AB123,12.50,MAKER-1\n"
                    ],
                },
                "columns": {
                    "type": ["array", "null"],
                    "items": {"type": "string", "minLength": 1, "maxLength": 300, "pattern": "^[^,]+$"},
                    "minItems": 1,
                    "maxItems": 200,
                    "description": "The field of each column. Default is the header line.",
                    "examples": [["refName", "title", "code", "price", "maker.entityRefName"]],
                },
                "profile": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The refName of an import profile, in place of `columns`.",
                },
                "fieldSeparator": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 1,
                    "description": "The separator between cells.",
                    "default": ",",
                },
                "restoreArchived": {
                    "type": ["boolean", "null"],
                    "description": "Whether a row that names an archived record restores it. Otherwise it is an error.",
                    "default": False,
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "csv"],
        },
        answer={
            "description": "What each row of a file would do; nothing is stored until the session is committed.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "sessionId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The import session.",
                },
                "status": {
                    "type": "string",
                    "description": "What the session is doing.",
                    "examples": ["ANALYZED"],
                },
                "totalRows": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Rows of the file, without the header.",
                },
                "validRows": {"type": "integer", "format": "int64", "description": "Rows without errors."},
                "errorRows": {"type": "integer", "format": "int64", "description": "Rows with errors."},
                "insertCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Rows that insert a record.",
                },
                "updateCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Rows that update a record.",
                },
                "skipCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Rows that change nothing.",
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "The first hundred rows, each with its intent and errors.",
                },
            },
            "required": [
                "sessionId",
                "status",
                "totalRows",
                "validRows",
                "errorRows",
                "insertCount",
                "updateCount",
                "skipCount",
                "rows",
            ],
        },
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_import_rows",
        area="gateway",
        description="Lists the rows of an import session.",
        body=QueryImportRowsRequest,
        run=runtime.gateway.importing.list_analysed,
        arguments={
            "description": "Which analysed rows of an import session to list.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "sessionId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The import session.",
                },
                "onlyErrors": {
                    "type": ["boolean", "null"],
                    "description": "Whether to list only rows with errors.",
                    "default": False,
                },
                "limit": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 1,
                    "maximum": 1000,
                    "description": "Maximum number of rows to return (default 50).",
                    "examples": [20],
                },
                "skip": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 2147483647,
                    "description": "Number of rows to skip.",
                    "default": 0,
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "sessionId"],
        },
        answer={
            "description": "Analysed rows of an import session, in the order of the file.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "offset": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of rows before this page.",
                },
                "limit": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Maximum number of rows in a page.",
                    "examples": [50],
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "The rows, each with its intent and errors.",
                },
                "rowCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of rows in this page.",
                },
                "totalCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of all matching rows.",
                },
            },
            "required": ["offset", "limit", "rows", "rowCount", "totalCount"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_import_commit",
        area="gateway",
        description="Stores the rows of an import session that have no errors.",
        body=QueryImportCommitRequest,
        run=runtime.gateway.importing.commit,
        arguments={
            "description": "The import session to commit.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "sessionId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The import session.",
                },
                "confirm": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 0,
                    "maximum": 2147483647,
                    "description": "The `validRows` of the analysis. Else nothing is stored.",
                    "examples": [12],
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "sessionId"],
        },
        answer={
            "description": "What a commit did, of all rows of the file.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "sessionId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The import session.",
                },
                "inserted": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Records that were inserted.",
                },
                "updated": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Records that were updated.",
                },
                "skipped": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Rows that changed nothing.",
                },
                "failed": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Rows with errors, from the analysis or the commit.",
                },
            },
            "required": ["sessionId", "inserted", "updated", "skipped", "failed"],
        },
        hints=runtime.model.tool.Hints(destructive=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="query_import_cancel",
        area="gateway",
        description="Ends an import session.",
        body=QueryImportSessionRequest,
        run=runtime.gateway.importing.discard,
        arguments={
            "description": "An import session.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "rootType": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The record type: its name, or area and name.",
                    "examples": ["shop.Article"],
                },
                "sessionId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The import session.",
                },
                "realm": {
                    "type": ["string", "null"],
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The realm to act in. Default is the realm of the call.",
                },
            },
            "required": ["rootType", "sessionId"],
        },
        answer={
            "description": "An import session that has ended.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "sessionId": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{24}$",
                    "description": "The import session.",
                },
                "status": {
                    "type": "string",
                    "enum": ["COMMITTED", "DISCARDED"],
                    "description": "COMMITTED: it had stored records, which remain. DISCARDED: any other session, and one that does not exist.",
                },
                "inserted": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Records that it had inserted.",
                },
                "updated": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Records that it had updated.",
                },
            },
            "required": ["sessionId", "status"],
        },
        hints=runtime.model.tool.Hints(destructive=True),
        has_realm=True,
    ),
    runtime.model.tool.Tool(
        name="find_articles",
        area="shop",
        description="Articles below a price.",
        body=FindArticlesArguments,
        run=query_records("Article", filter="price:<${most}", sort="-price", projection="+title", limit=10),
        arguments={
            "description": "The arguments of the tool find_articles.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "most": {
                    "anyOf": [
                        {"type": "number"},
                        {"type": "string", "pattern": "^[+-]?[0-9]{1,17}(?:\\.[0-9]{1,17})?$"},
                    ],
                    "description": "The highest price.",
                }
            },
            "required": ["most"],
        },
        answer={
            "description": "A page of records.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "offset": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of records before this page.",
                },
                "limit": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Maximum number of records in a page.",
                    "examples": [50],
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "additionalProperties": {}},
                    "description": "The records, as their own routes return them, with embedded records in place of references that are expanded.",
                },
                "rowCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of records in this page.",
                },
                "totalCount": {
                    "type": "integer",
                    "format": "int64",
                    "description": "Number of all matching records, if requested.",
                },
                "filter": {"type": "string", "description": "The filter that was applied."},
                "sort": {
                    "type": "string",
                    "description": "The order, as lists take it.",
                    "examples": ["-refName"],
                },
                "nextCursor": {
                    "type": "string",
                    "description": "Where the next page begins; absent on the last one.",
                },
            },
            "required": ["offset", "limit", "rows", "rowCount"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
        is_one_page=True,
    ),
    runtime.model.tool.Tool(
        name="count_articles",
        area="shop",
        description="How many there are in a state.",
        body=CountArticlesArguments,
        run=count_matching("Article", filter="status:${status}", words=frozenset({"status"})),
        arguments={
            "description": "The arguments of the tool count_articles.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "status": {
                    "type": "string",
                    "enum": ["DRAFT", "OFFERED", "DROPPED"],
                    "x-states": "articleLifecycle",
                }
            },
            "required": ["status"],
        },
        answer={
            "description": "How many records match.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "count": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "Number of matching records that the caller may see.",
                }
            },
            "required": ["count"],
        },
        hints=runtime.model.tool.Hints(read_only=True, idempotent=True),
    ),
    runtime.model.tool.Tool(
        name="save_maker",
        area="shop",
        description="Write a maker down.",
        body=SaveMakerArguments,
        run=save_arguments("Maker"),
        arguments={
            "description": "The arguments of the tool save_maker.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "name": {"type": ["string", "null"], "default": "Nobody"},
                "owner": {
                    "anyOf": [
                        {"$ref": "#/$defs/EntityReferenceInput", "x-references": "Maker"},
                        {"type": "null"},
                    ]
                },
                "dataDomain": {"anyOf": [{"$ref": "#/$defs/SaveMakerArgumentsDataDomain"}, {"type": "null"}]},
            },
            "$defs": {
                "EntityReferenceInput": {
                    "additionalProperties": False,
                    "description": "A pointer to another record, with copies of its names for display.",
                    "properties": {
                        "entityId": {
                            "description": "The id of the record referred to.",
                            "pattern": "^[0-9a-f]{24}$",
                            "type": "string",
                        },
                        "entityType": {
                            "maxLength": 200,
                            "type": ["string", "null"],
                            "description": "The record type of that record.",
                        },
                        "entityRefName": {
                            "maxLength": 200,
                            "type": ["string", "null"],
                            "description": "A copy of the record's reference name.",
                        },
                        "entityDisplayName": {
                            "maxLength": 500,
                            "type": ["string", "null"],
                            "description": "A copy of the record's display name.",
                        },
                        "realm": {
                            "maxLength": 200,
                            "type": ["string", "null"],
                            "description": "The realm of the record.",
                        },
                    },
                    "required": ["entityId"],
                    "type": "object",
                },
                "SaveMakerArgumentsDataDomain": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"ownerId": {"type": "string"}},
                    "required": ["ownerId"],
                },
            },
        },
        answer={
            "description": "A record that was saved.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9a-f]{24}$", "description": "The id of the record."},
                "version": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 1,
                    "description": "Its version.",
                },
                "inserted": {"type": "boolean", "description": "Whether the record is new."},
                "record": {
                    "type": "object",
                    "additionalProperties": {},
                    "description": "The record as the caller sees it; absent where the caller may not view it.",
                },
            },
            "required": ["id", "version", "inserted"],
        },
    ),
    runtime.model.tool.Tool(
        name="drop_article",
        area="shop",
        description="Take an article off the shelf.",
        body=DropArticleArguments,
        run=move_state("Article", field="status", to="DROPPED"),
        arguments={
            "description": "The arguments of the tool drop_article.",
            "type": "object",
            "additionalProperties": False,
            "properties": {"id": {"type": "string", "pattern": "^[0-9a-f]{24}$"}},
            "required": ["id"],
        },
        answer={
            "type": "object",
            "description": "The record as it is stored now, with the fields that you may see.",
        },
        hints=runtime.model.tool.Hints(destructive=True),
    ),
    runtime.model.tool.Tool(
        name="greet",
        area="shop",
        description="Say hello.",
        body=GreetArguments,
        run=call_endpoint(
            Later("sample_generated.routers.shop_endpoints", "greet"),
            request=GreetingRequest,
            parameters={"id": "id_", "times": "times", "since": "since"},
        ),
        arguments={
            "description": "The arguments of the tool greet.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
                "times": {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": 1,
                    "maximum": 9,
                    "description": "How often.",
                    "default": 1,
                },
                "since": {"type": ["string", "null"], "format": "date"},
                "name": {"type": "string", "minLength": 1},
                "weight": {
                    "anyOf": [
                        {"type": "number"},
                        {"type": "string", "pattern": "^[+-]?[0-9]{1,17}(?:\\.[0-9]{1,17})?$"},
                        {"type": "null"},
                    ]
                },
            },
            "required": ["id", "name"],
        },
        answer={
            "description": "A greeting.",
            "type": "object",
            "additionalProperties": False,
            "properties": {"text": {"type": "string"}, "at": {"type": "string", "format": "date-time"}},
            "required": ["text"],
        },
    ),
    runtime.model.tool.Tool(
        name="send_invoice",
        area="shop",
        description="Sends an invoice by the billing system.",
        body=SendInvoiceArguments,
        run=call_remote("billing/create_invoice", area="shop"),
        arguments={
            "description": "The arguments of the tool send_invoice.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "order": {"type": "string", "description": "The number of the order."},
                "amount": {
                    "anyOf": [
                        {"type": "number"},
                        {"type": "string", "pattern": "^[+-]?[0-9]{1,17}(?:\\.[0-9]{1,17})?$"},
                        {"type": "null"},
                    ],
                    "description": "The amount.",
                },
            },
            "required": ["order"],
        },
        hints=runtime.model.tool.Hints(destructive=True, open_world=True),
    ),
)
