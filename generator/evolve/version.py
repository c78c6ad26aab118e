"""One version of a service, as it is compared: its document, and what it says of stored data and callers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import orjson

from generator.evolve.api import Document, compare_documents
from generator.evolve.callers import compare_callers, describe_callers
from generator.evolve.changes import compare_stored
from generator.evolve.pairs import pair_names
from generator.evolve.stored import StoredSpecs, describe_stored
from generator.evolve.stored_findings import list_data_findings
from generator.findings import Finding, sort_findings
from generator.model import Model
from generator.openapi import build_document


@dataclass(frozen=True, slots=True)
class Version:
    """``name`` is shown; ``stored`` is None where only the document is known, and so is ``callers``."""

    name: str
    document: Document
    stored: StoredSpecs | None = None
    callers: Document | None = None


def describe_version(model: Model, name: str, rendered: str | bytes | None = None) -> Version:
    """Describe the version that a model is, as far as it is compared.

    ``rendered``: its document, where that has been rendered already.
    """
    plain = orjson.loads(rendered) if rendered else build_document(model)
    return Version(name, Document(plain, name), describe_stored(model), describe_callers(model, name))


def compare_versions(old: Version, new: Version, today: date) -> list[Finding]:
    """Compare two versions for clients and, where both say something about it, for stored data."""
    names = pair_names(old.stored, new.stored) if old.stored and new.stored else {}
    found: Iterable[Finding] = compare_documents(old.document, new.document, today, names)
    if old.stored is not None and new.stored is not None:
        found = [*found, *list_data_findings(compare_stored(old.stored, new.stored))]
    if old.callers is not None and new.callers is not None:
        found = [*found, *compare_callers(old.callers, new.callers, names)]
    return sort_findings(found)
