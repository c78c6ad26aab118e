"""One write of one record as a change stream delivers it, and the places in that stream.

The record before and after the write is shown to nobody but the holder of an ``Access``: as far as scope and
rules admit it, and without hidden fields. So an event can no more reveal a record than a read can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple

from bson import Timestamp

from runtime.filter import (
    Predicate,
    RecordWeight,
    WeighedFilter,
    admits,
    name_as_declared,
    show_declared,
    weigh_record,
)
from runtime.spelling import Spelling
from runtime.storage.access import Access
from runtime.storage.store.changes import Document
from runtime.storage.store.spellings import Spellings

Operation = Literal["created", "updated", "deleted"]

OPERATIONS: Final[Mapping[str, Operation]] = {
    "insert": "created",
    "update": "updated",
    "replace": "updated",
    "delete": "deleted",
}

_OF_A_TIMESTAMP: Final = "82"
"""The type with which a resume token begins; eight digits of seconds follow, and eight of an ordinal."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in the order of all writes: the hexadecimal data of a resume token, which sort as texts.

    Raises ``ValueError`` for what is not one.
    """

    token: str

    def __post_init__(self) -> None:
        """Check that it says when."""
        if not self.token.startswith(_OF_A_TIMESTAMP) or len(self.token) < 18:
            raise ValueError("this is not the data of a resume token")
        int(self.token, 16)

    @classmethod
    def behind(cls, time: Timestamp) -> Place:
        """Return the place behind all that was written up to a time."""
        return cls(f"{_OF_A_TIMESTAMP}{time.time:08X}{time.inc:08X}FF")

    @property
    def start_of_time(self) -> Place:
        """The place before all that was written at the time of this one. It names no write."""
        return Place(f"{self.token[:18]}00")

    @property
    def time(self) -> Timestamp:
        """The time of the deployment, which orders writes."""
        return Timestamp(int(self.token[2:10], 16), int(self.token[10:18], 16))

    @property
    def date(self) -> datetime:
        """The same as a date, to the second."""
        return datetime.fromtimestamp(self.time.time, UTC).replace(tzinfo=None)


class Seen(NamedTuple):
    """A record before and after a write, as one caller sees it: None where it does not exist for them."""

    before: Document | None
    after: Document | None


@dataclass(frozen=True, slots=True)
class Written:
    """One write. ``is_whole``: whether both sides of it are known, without which nobody may be shown it.

    ``spelling``: in which the sides are stored, while the record type changes.
    """

    database: str
    collection: str
    record_id: str
    operation: Operation
    place: Place
    is_whole: bool
    _before: Document | None = field(repr=False)
    _after: Document | None = field(repr=False)
    spelling: Spelling | None = field(default=None, repr=False)
    _seen: list[tuple[Access[Any], Seen]] = field(default_factory=list, repr=False)
    _found: dict[tuple[int, bytes], Seen] = field(default_factory=dict, repr=False)
    _weight: list[RecordWeight] = field(default_factory=list, repr=False)
    _spent: list[float] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, change: Mapping[str, Any], spellings: Spellings) -> Written:
        """Read an event of a change stream."""
        operation = OPERATIONS[change["operationType"]]
        before, after = change.get("fullDocumentBeforeChange"), change.get("fullDocument")
        needs_before, needs_after = operation != "created", operation != "deleted"
        place = change["ns"]["db"], change["ns"]["coll"]
        is_whole = (before is not None or not needs_before) and (after is not None or not needs_after)
        return cls(
            database=change["ns"]["db"],
            collection=change["ns"]["coll"],
            record_id=str(change["documentKey"]["_id"]),
            operation=operation,
            place=Place(change["_id"]["_data"]),
            is_whole=is_whole and spellings.knows(place),
            _before=before,
            _after=after if needs_after else None,
            spelling=spellings.table.get(place),
        )

    def has_changed(self, name: str) -> bool:
        """Return whether a write has changed a field of a stored record, whatever it holds."""
        before, after = self._before or {}, self._after or {}
        return self.operation == "updated" and before.get(name) != after.get(name)

    def show(self, access: Access[Any]) -> Seen:
        """Return both sides as far as ``access`` admits them; worked out once for all that share it."""
        for known, seen in self._seen:
            if known is access:
                return seen
        seen = Seen(_show(self, access, self._before), _show(self, access, self._after))
        self._seen.append((access, seen))
        return seen

    def find(self, access: Access[Any], wanted: WeighedFilter) -> Seen:
        """Return both sides as far as a filter admits them, too; worked out once for all that share both."""
        seen = self.show(access)
        if wanted.is_empty or seen == _NOTHING:
            return seen
        key = id(access), wanted.fingerprint  # ``_seen`` holds the access, so that no other one has its id
        found = self._found.get(key)
        if found is None:
            found = Seen(_find(seen.before, wanted.match), _find(seen.after, wanted.match))
            self._found[key] = found
        return found

    def estimate_seconds(self, access: Access[Any], wanted: WeighedFilter) -> float:
        """Estimate how long ``find`` takes: no time for what is out of reach, or was found before."""
        is_known = (id(access), wanted.fingerprint) in self._found
        if wanted.is_empty or is_known or self.show(access) == _NOTHING:
            return 0.0
        if not self._weight:
            self._weight.append(weigh_record({"before": self._before, "after": self._after}))
        return wanted.estimate_seconds(self._weight[0])

    def spend(self, seconds: float) -> float:
        """Add to the time that goes into decisions on this write, for all; return the sum."""
        self._spent.append(seconds)
        return sum(self._spent)


_NOTHING: Final = Seen(None, None)


def _find(document: Document | None, match: Predicate) -> Document | None:
    return document if document is not None and admits(match, document) else None


def _show(written: Written, access: Access[Any], document: Document | None) -> Document | None:
    kind = access.kind
    if document is None or (written.database, written.collection) != (access.database, kind.collection):
        return None
    if written.spelling is not None:
        named = written.spelling.unify(document)
    else:
        named = name_as_declared(kind.renamed, document) if kind.renamed else document
    return show_declared(kind.fields, named, access.hidden) if access.admits(named) else None
