"""Defaults as they stand in a shape → as a save stores them. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bson import ObjectId

from runtime.fast.decimals import decimal128
from runtime.model.clock import as_stored


def store_default(value: Any, field: Mapping[str, Any]) -> Any:
    """Return a value of JSON as the store holds one of this field; objects get the defaults inside them."""
    match field["type"]:
        case "decimal":
            return decimal128(str(value))
        case "datetime":
            return as_stored(datetime.fromisoformat(str(value)))
        case "objectId":
            return ObjectId(str(value))
        case "number":
            return float(value)
        case "list":
            return [store_default(one, field["item"]) for one in value]
        case "map":
            return {name: store_default(one, field["item"]) for name, one in value.items()}
        case "object":
            return _store_object(value, field["fields"])
    return value


def _store_object(value: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value.get(name, field.get("default")) for name, field in fields.items()}
    return {name: store_default(one, fields[name]) for name, one in given.items() if one is not None}
