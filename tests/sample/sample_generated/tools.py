"""The tools, as data. Written by the generator; do not edit."""

from collections.abc import Mapping
from typing import Any

TOOLS: tuple[Mapping[str, Any], ...] = (
    {
        "name": "find_articles",
        "area": "shop",
        "description": "Articles below a price.",
        "does": "query",
        "target": "Article",
        "settings": {"filter": "price:<${most}", "sort": "-price", "projection": "+title", "limit": 10},
        "inputSchema": {
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
    },
    {
        "name": "count_articles",
        "area": "shop",
        "description": "How many there are in a state.",
        "does": "count",
        "target": "Article",
        "settings": {},
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "status": {
                    "type": "string",
                    "enum": ["DRAFT", "OFFERED", "DROPPED"],
                    "x-states": "articleLifecycle",
                }
            },
        },
    },
    {
        "name": "save_maker",
        "area": "shop",
        "description": "Write a maker down.",
        "does": "save",
        "target": "Maker",
        "settings": {},
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string", "default": "Nobody"},
                "owner": {"$ref": "#/$defs/EntityReferenceInput", "x-references": "Maker"},
                "note": {"$ref": "#/$defs/ArgumentNote"},
            },
            "$defs": {
                "ArgumentNote": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"text": {"type": "string"}},
                    "required": ["text"],
                },
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
            },
        },
    },
    {
        "name": "drop_article",
        "area": "shop",
        "description": "Take an article off the shelf.",
        "does": "transition",
        "target": "Article",
        "settings": {"field": "status", "to": "DROPPED"},
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"id": {"type": "string", "pattern": "^[0-9a-f]{24}$"}},
            "required": ["id"],
        },
    },
    {
        "name": "greet",
        "area": "shop",
        "description": "Say hello.",
        "does": "call",
        "target": "shop_greet",
        "settings": {},
        "inputSchema": {"type": "object", "additionalProperties": False, "properties": {}},
    },
)
RESOURCES: tuple[Mapping[str, Any], ...] = ()
