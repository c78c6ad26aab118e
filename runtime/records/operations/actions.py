"""What the caller may do on a record: its ``actionList``."""

from __future__ import annotations

from typing import Any, Final

from runtime.access.guard import find_access, remember
from runtime.call import Call
from runtime.filter import EVERYTHING
from runtime.model.record_type import RecordType
from runtime.records.document.lifecycle import next_states
from runtime.storage.access import Action

Document = dict[str, Any]

_MOST_LISTS: Final = 256
_LISTED: Final = (Action.VIEW, Action.UPDATE, Action.DELETE)


class Actions:
    """The caller's permissions on one record type, read once and checked against each record.

    A permission decides itself on which records it holds, whichever permission they were read with: an action
    outside the scope of its write is never offered.
    """

    @classmethod
    def of(cls, call: Call, kind: RecordType[Any]) -> Actions:
        """Return the actions of a caller that is known, from memory where they were worked out before."""
        found: Actions = remember(call, (cls, kind), lambda: cls(call, kind))
        return found

    def __init__(self, call: Call, kind: RecordType[Any]) -> None:
        self._kind = kind
        self._accesses = {action: access for action in _LISTED if (access := find_access(call, kind, action))}
        self._scopes = tuple(dict.fromkeys(access.domain for access in self._accesses.values()))
        self._hidden = frozenset[str]().union(*(access.hidden for access in self._accesses.values()))
        self.depend_on_record = any(access.rules is not EVERYTHING for access in self._accesses.values())
        """Whether rules look at records, withheld fields included."""
        self._by_states: dict[tuple[Any, ...], list[str]] = {}

    def on(self, document: Document) -> list[str]:
        """Return the action list of a stored record that has all fields that scope and rules look at.

        A state that several fields may go to is listed once. Do not change the list: without rules it is that
        of all records that are in the same states, and in the same of the scopes.
        """
        if self.depend_on_record:
            return self._list_on(document)
        domain = document.get("dataDomain", {})
        inside = [scope.admits(domain) for scope in self._scopes]
        key = (*inside, *map(document.get, self._kind.states))
        try:
            found = self._by_states.get(key)
        except TypeError:  # stored before the field had states, one of them is a list or an object
            return self._list_on(document)
        if found is None:
            if len(self._by_states) >= _MOST_LISTS:
                self._by_states.clear()
            found = self._by_states[key] = self._list_on(document)
        return found

    def _list_on(self, document: Document) -> list[str]:
        allowed = [str(action) for action, access in self._accesses.items() if access.admits(document)]
        for states in self.transitions(document).values():
            allowed += [f"transition:{state}" for state in states]
        return list(dict.fromkeys(allowed))

    def transitions(self, document: Document) -> dict[str, tuple[str, ...]]:
        """Return where each state field may go from here.

        Empty for a caller that may not update the record, and without fields that are hidden from the caller
        and states in which the caller may not put it: a write is decided on the new record as well.
        """
        access = self._accesses.get(Action.UPDATE)
        if access is None or not access.admits(document):
            return {}
        found = next_states(self._kind, document, self._hidden)
        if access.rules is EVERYTHING:
            return found
        return {
            field: tuple(state for state in states if access.admits({**document, field: state}))
            for field, states in found.items()
        }
