"""OpenAPI links: what an answer says leads to the operations that take it up."""

from generator.model import Record
from generator.openapi.shared import Schema
from generator.operations import StandardOperation

_OF_A_RECORD = {"id": ("id", "id"), "refName": ("refName", "refName"), "delete": ("id", "id")}
_OF_A_PAGE = {"id": ("id", "rows/0/id")}


def links(record: Record, row: StandardOperation, status: int) -> Schema:
    """Build the member ``links`` of a response; empty if no operation follows.

    Tables: word of the operation → its parameter, and where in the answer the value stands.
    """
    table = _OF_A_PAGE if row.answer == "Page[{model}]" else _OF_A_RECORD if row.key == "save" else {}
    found = {
        one.operation: {
            "operationId": f"{record.domain}_{one.operation}",
            "parameters": {table[one.key][0]: f"$response.body#/{table[one.key][1]}"},
        }
        for one in record.operations
        if one.key in table and status in (200, 201)
    }
    return {"links": found} if found else {}
