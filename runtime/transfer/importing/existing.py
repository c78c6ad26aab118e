"""The stored records that rows speak of: found a batch at a time, as far as the caller may see them.

A row names its record by the key of its file: the refName, or a unique field that a profile marks. Both are
unique in a tenant: the one that the row names, else the caller's.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.filter import Predicate, match_values, one_of
from runtime.model.documents import tenant_of
from runtime.model.paths import value_at
from runtime.model.record_type import RecordType
from runtime.storage.access import Access, Action
from runtime.storage.wire import plain_text
from runtime.transfer.rows.command_parts import split_for_commands
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import REF_NAME, TENANT, Document, InputRow

Name: TypeAlias = tuple[str, str]
"""Tenant and key; equal exactly where a unique index of the store finds two values equal."""


@dataclass(frozen=True, slots=True)
class Existing:
    """Records by name. ``unclear``: names that several records have, so none of them is meant."""

    records: Mapping[Name, Document]
    unclear: Set[Name]


async def find_existing(call: Call, kind: RecordType[Any], rows: Sequence[InputRow]) -> Existing:
    """Find the records that rows of one file name.

    Raises ``UnknownField`` for a key that is withheld from the caller: whether a value exists would reveal
    it.
    """
    keys = {_key_text(row.key): row.key for row in rows if row.key is not None}
    return await find_named(call, kind, rows[0].terms.key if rows else REF_NAME, keys.values())


async def find_named(call: Call, kind: RecordType[Any], key: str, values: Collection[Any]) -> Existing:
    """Find the records that have one of these values as their key. Raises as ``find_existing``."""
    if not values:
        return Existing({}, frozenset())
    access = allow(call, kind, Action.VIEW)
    found: list[Document] = []
    for part in split_for_commands(values, lambda value: len(_key_text(value))):
        found += await call.store.find(access.to_decide(), _with_keys(access, key, part))
    return _index_by_name(found, key)


def name_of(call: Call, row: InputRow) -> Name | None:
    """Return what names the record of a row; None for a new one that the server names."""
    key = row.values.get(row.terms.key)
    return None if key is None else (tenant_of_row(call, row), _key_text(key))


def tenant_of_row(call: Call, row: InputRow) -> str:
    """Return the tenant of the record of a row."""
    return str(row.values.get(TENANT) or call.principal.domain.tenant_id)


def build_ambiguity(row: InputRow) -> RowError:
    """Build the error of a row whose key several records have."""
    key, value = row.terms.key, plain_text(row.key) or ""
    message = f"several records have the {key} {value[:100]}: name one record by its refName"
    return RowError(RowCode.DUPLICATE, message, key, value)


def _with_keys(access: Access, key: str, values: Iterable[Any]) -> Predicate:
    if key == REF_NAME:
        return one_of(REF_NAME, list(values))
    texts = [plain_text(value) or "" for value in values]
    return match_values(access.kind, key, texts, access.hidden)


def _index_by_name(found: Iterable[Document], key: str) -> Existing:
    records: dict[Name, Document] = {}
    unclear: set[Name] = set()
    for record in found:
        name = (tenant_of(record), _key_text(value_at(record, key)))
        if records.setdefault(name, record) is not record:
            unclear.add(name)
    return Existing(records, unclear)


def _key_text(value: Any) -> str:
    """Return one text for each value, as sent or as stored; keys are text, integers, days, times or ids."""
    return value if type(value) is str else plain_text(value) or ""
