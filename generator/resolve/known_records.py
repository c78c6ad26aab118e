"""Record types that an earlier run has resolved: they are read, and take their names, as if resolved again.

What a record type becomes depends on its file, on the files of the service, of graphs, structures and
predicates, and on which record types there are. One that has a problem is not stored. Where a stored one
finds that one of its names is taken, there is a problem to report, and all are resolved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from generator.cache import TextCache
from generator.model import (
    Digests,
    Kind,
    Record,
    Structure,
    decode_record,
    encode_record,
    hash_record,
    list_targets,
)
from generator.resolve.context import CheckFilter, Claim, Context, Where
from generator.spec import Document, RecordSpec


class NameTakenError(Exception):
    """A record type that an earlier run resolved cannot have its names any more."""


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """Record types by the hash of what they depend on."""

    context: Context
    texts: TextCache
    around: str
    digests: dict[str, Digests] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context, texts: TextCache) -> KnownRecords:
        """Find out what all record types depend on; from then on, filters that are right are remembered."""
        specs = context.specs
        documents = [*specs.graphs, *specs.structures, *specs.ontologies]
        documents += [specs.service] if specs.service else []
        around = _hash([[one.source, one.area, _describe(one)] for one in documents])
        known = cls(context, texts, around)
        context.check_filter = known._remember("filter", context.check_filter)
        context.check_decided = known._remember("decided", context.check_decided)
        return known

    def find(self, document: Document[RecordSpec]) -> Record | None:
        """Return a record type, if it is known. Raises ``NameTakenError``."""
        text = self.texts.find(self._name(document)) if document.digest else None
        if text is None:
            return None
        stored, claims, targets, digests = orjson.loads(text)
        record, context = decode_record(stored), self.context
        if record.renamed_from in context.records or not context.records.keys() >= {*targets}:
            return None
        for space, name, path, is_key, what, rule, advice in claims:
            find = Where(document.at, tuple(path), is_key)
            if not context.claim(space, name, find, what, rule, advice):
                raise NameTakenError(name)
        context.unsure[record.name] = frozenset()
        self.digests[record.name] = Digests(*digests)
        return record

    def store(self, document: Document[RecordSpec], record: Record, claims: list[Claim]) -> None:
        """Store a record type that has no problem, for the next run."""
        stored = encode_record(record) if document.digest else None
        if stored is None:
            return
        rows = [_encode_claim(one) for one in claims]
        digests = self.digests[record.name] = hash_record(record, stored)
        whole = [stored, rows, sorted({*list_targets(record.fields, Kind.REFERENCE)}), [*digests]]
        self.texts.store(self._name(document), orjson.dumps(whole).decode())

    def _remember(self, word: str, check: CheckFilter) -> CheckFilter:
        """Return a check of filters that repeats none which found nothing; ``word`` is its name."""

        def check_once(text: str, record: Record, structures: Mapping[str, Structure]) -> str | None:
            stored = encode_record(replace(record, extends=None))
            name = f"{word} {_hash([self.around, text, stored])}"
            if stored is not None and self.texts.find(name) is not None:
                return None
            wrong = check(text, record, structures)
            if wrong is None and stored is not None:
                self.texts.store(name, "right")
            return wrong

        return check_once

    def list_digests(self) -> dict[str, Digests]:
        """List the hashes of record types by name, without those that the project extends."""
        return {name: one for name, one in self.digests.items() if name not in self.context.extended}

    def _name(self, document: Document[RecordSpec]) -> str:
        parts = [self.around, document.area, document.source, document.is_system, document.digest]
        return f"record {_hash(parts)}"


def _encode_claim(claim: Claim) -> list[Any]:
    find = claim.find
    if not isinstance(find, Where):
        raise TypeError(f"{claim.name} is not taken at a place of a file")
    return [claim.space, claim.name, find.path, find.is_key, claim.what, claim.rule, claim.advice]


def _describe(document: Document[Any]) -> str:
    """Return the hash of a file; what it says, where parts are left out."""
    return document.digest or f"{document.spec!r} {sorted(document.omitted_words)}"


def _hash(parts: list[Any]) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()
