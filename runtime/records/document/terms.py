"""How a write is to be done, as the headers and parameters of its request say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.errors import InvalidParameter, PreconditionFailed, ValidationFailed, VersionConflict
from runtime.storage.wire import etag, names_tag


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one write.

    ``expected``: the version the caller knows (``If-Match``). ``unless``: versions of which none may be
    stored (``If-None-Match``; ``*``: only what is not there is created). ``is_dry_run``: every check, nothing
    stored (``dryRun=true``). ``is_minimal``: without the record in the answer (``Prefer: return=minimal``).
    ``key``: the request takes effect once (``Idempotency-Key``).
    """

    expected: str | None = None
    unless: str | None = None
    is_dry_run: bool = False
    is_minimal: bool = False
    key: str | None = None

    def __post_init__(self) -> None:
        """Raise ``InvalidParameter`` for an ``If-Match`` that is blank."""
        if self.expected is not None and not self.expected.strip():
            message = 'If-Match must be *, or entity tags in quotes, such as "3"'
            raise InvalidParameter(message, parameter="If-Match")


PLAIN = Terms()


def require_version(stored: Mapping[str, Any] | None, terms: Terms, sent: int | None = None) -> None:
    """Compare the stored version with the conditions of the terms, and with the version ``sent`` in the body.

    A caller that expects a version of a record that is not there meant to change a record: None is inserted.
    Raises ``PreconditionFailed`` (412), ``VersionConflict`` (409), and what ``read_version`` does.
    """
    expected = terms.expected
    if stored is None:
        _refuse_stale_insert(expected, sent)
        return
    if expected is None and terms.unless is None and sent is None:
        return
    version = read_version(stored)
    if expected is not None:
        tags = {tag.strip() for tag in expected.split(",")}
        if "*" not in tags and etag(stored) not in tags:
            raise PreconditionFailed(f"If-Match names {expected[:80]}, the stored version is {etag(stored)}")
    if terms.unless is not None and names_tag(terms.unless, etag(stored)):
        raise PreconditionFailed(
            f"the record exists, with the version {etag(stored)}; leave If-None-Match out to change it"
        )
    if sent is not None and sent != version:
        raise VersionConflict(f"the stored version is {version}, not {sent}")


def read_version(stored: Mapping[str, Any]) -> int:
    """Return the version of a record. Raises ``ValidationFailed`` for one that another tool left without."""
    version = stored.get("version")
    if isinstance(version, int) and not isinstance(version, bool):
        return version
    if isinstance(version, float) and version.is_integer():  # of a tool that stores all numbers so
        return int(version)
    raise ValidationFailed.at_stored_number("version")


def _refuse_stale_insert(expected: str | None, sent: int | None) -> None:
    if expected is not None:
        raise PreconditionFailed(
            "If-Match names a version, but the record does not exist; leave If-Match out to create it"
        )
    if sent is not None:
        raise VersionConflict(
            f"version {sent} was sent, but the record does not exist; leave it out to create one"
        )
