"""What earlier generators promised of records that are read, and no service has held to.

A projection leaves required members of nested objects out of rows, and lenient records break their
constraints. Documents of this generator say so, and are never corrected: a project whose release is of an
earlier one has changed nothing, and has nothing to declare.
"""

from collections.abc import Iterator
from typing import Final

from generator.evolve.api import Document
from generator.evolve.api.documents import Json, as_object
from generator.model import Declaration
from generator.openapi import View
from generator.types import FORMATS
from runtime.contract.components import list_references

_DATE: Final = "2026-11-29"
_OPTIONAL: Final = "response-property-became-optional"
_LENIENT: Final = "Lenient records have always been read with violations."


def list_corrections(old: Document, new: Document) -> Iterator[Declaration]:
    """List the breaking changes that only correct the document."""
    before, after = (one.section("components", "schemas") for one in (old, new))
    suffix = View.ROW.value
    for name in after:
        if name.endswith(suffix) and name.removesuffix(suffix) in after:
            yield _declare(_OPTIONAL, f"{name}.*", "A projection has always left it out of rows.")
        if _is_lenient(before.get(name)) and _is_lenient(after[name]):
            for below in sorted(_list_below(after, name)):
                yield _declare(_OPTIONAL, f"{below}.*", _LENIENT)
                yield _declare("response-limit-widened", f"{below}.*", _LENIENT)
                former = before.get(below, before.get(below.removeprefix(f"{name}_")))
                for member in _list_with_format(former):
                    yield _declare("response-type-widened", f"{below}.{member}", _LENIENT)


def _declare(rule: str, at: str, reason: str) -> Declaration:
    return Declaration(rule, at, _DATE, reason, source="", line=0)


def _is_lenient(schema: object) -> bool:
    return {"invalid", "violations"} <= as_object(as_object(schema).get("properties")).keys()


def _list_below(schemas: Json, record: str) -> set[str]:
    """List the schemas of a record type as it is read: its own, of its rows, and of the objects in them."""
    found, waiting = set[str](), {record, f"{record}Row"}
    while waiting:
        name = waiting.pop()
        found.add(name)
        inner = {one for section, one in list_references(schemas.get(name)) if section == "schemas"}
        waiting |= {one for one in inner if one.startswith(record)} - found
    return found


def _list_with_format(schema: object) -> Iterator[str]:
    """List the members that are text of a form, such as an address of mail, or lists of it."""
    for name, member in as_object(as_object(schema).get("properties")).items():
        inner = as_object(member)
        while "items" in inner:
            name, inner = f"{name}[]", as_object(inner["items"])
        if inner.get("format") in FORMATS:
            yield name
