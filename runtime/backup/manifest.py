"""What an archive says about itself: the head at its beginning, the manifest at its end."""

import hashlib
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, Self

import orjson

from runtime.backup.problems import Unfit
from runtime.model.catalog import Catalog
from runtime.model.field_type import FieldType

FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is in the archive, and of which service: ``tenant`` is None for a whole realm.

    ``content``: ``backup``, or ``export`` for one without secrets, which cannot be restored. ``specs``: a
    digest of the record types, ``shapes`` the fingerprints of those that the stored records have.
    ``migrations``: what the realm has been through by hand; None where a backup does not say so.
    """

    content: str
    id: str
    realm: str
    tenant: str | None
    created: str
    version: str
    specs: str
    shapes: dict[str, str]
    migrations: dict[str, dict[str, Any]] | None = None
    format: int = FORMAT

    @classmethod
    def read(cls, line: dict[str, Any]) -> Self:
        """Read the first line. Raises ``Unfit`` for a format that this version does not know."""
        if line["format"] != FORMAT:
            raise Unfit(f"the backup has format {line['format']}, and this version reads {FORMAT}")
        members = {
            one.name: line[one.name] for one in fields(cls) if one.name in line or one.default is MISSING
        }
        return cls(**members)


class Tally:
    """Records, bytes and digest of the lines of one collection."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._records = self._bytes = 0

    def add(self, records: int, lines: bytes) -> None:
        self._digest.update(lines)
        self._records += records
        self._bytes += len(lines)

    def close(self) -> dict[str, Any]:
        return {"records": self._records, "bytes": self._bytes, "sha256": self._digest.hexdigest()}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The totals of each collection by name: ``records``, ``bytes`` and ``sha256`` of its lines."""

    collections: dict[str, dict[str, Any]]

    @classmethod
    def read(cls, value: dict[str, Any]) -> Self:
        """Read the member of the last line."""
        return cls({str(name): dict(totals) for name, totals in value["collections"].items()})

    def as_json(self) -> bytes:
        """Return it as it is written, and covered by the digest."""
        return orjson.dumps({"collections": self.collections})

    @property
    def records(self) -> int:
        return sum(int(one["records"]) for one in self.collections.values())


def digest_specs(catalog: Catalog) -> str:
    """Compute a digest of the record types: their collections, and the names and types of their fields."""
    described = {kind.name: [kind.collection, _describe(kind.fields)] for kind in catalog}
    return hashlib.sha256(orjson.dumps(described, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _describe(declared: Any) -> dict[str, Any]:
    return {name: _describe_type(field) for name, field in declared.items()}


def _describe_type(field: FieldType) -> list[Any]:
    item = None if field.item is None else _describe_type(field.item)
    return [field.kind.value, _describe(field.fields), item, sorted(field.values)]
