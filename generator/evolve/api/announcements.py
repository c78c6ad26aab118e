"""What was announced: ``deprecated``, the date of its end (``x-sunset``), how stable something is."""

from __future__ import annotations

from datetime import date
from typing import Any

from generator.evolve.api.documents import Json
from generator.evolve.api.place import show
from generator.evolve.api.recorder import Recorder

_SUNSET, _STABILITY = "x-sunset", "x-stability-level"
_LEVELS = ("draft", "alpha", "beta", "stable")


def name_removal(what: str, old: Json, today: date) -> str:
    """Name the rule for something that is gone: it depends on what was announced."""
    if old.get("deprecated") is not True:
        early = old.get(_STABILITY) in _LEVELS[:2]
        return f"{what}-removed-while-unstable" if early else f"{what}-removed"
    if _SUNSET not in old:
        return f"{what}-removed-deprecated"
    sunset = _read_date(old[_SUNSET])
    return f"{what}-removed-after-sunset" if sunset and sunset <= today else f"{what}-removed-before-sunset"


def compare_announcements(what: str, old: Json, new: Json, recorder: Recorder, at: str, today: date) -> None:
    """Compare what is announced of an operation or a parameter, both being there."""
    was, is_now = old.get("deprecated") is True, new.get("deprecated") is True
    if was != is_now:
        rule, word = ("deprecated", "now") if is_now else ("reactivated", "no longer")
        recorder.report(f"{what}-{rule}", at, f"it is {word} deprecated")
    before, after = _read_date(old.get(_SUNSET)), _read_date(new.get(_SUNSET))
    if _SUNSET in new and after is None:
        recorder.report(f"{what}-sunset-unreadable", at, f"{show(new[_SUNSET])} is not a date")
    elif is_now and before is not None and after is None:
        recorder.report(f"{what}-sunset-removed", at, f"{before} is no longer announced")
    elif is_now and after is not None and after < (before or today) and after != before:
        shown = f"the end was {before or 'not announced'}, is {after}"
        recorder.report(f"{what}-sunset-earlier", at, shown)
    _compare_stability(what, old.get(_STABILITY), new.get(_STABILITY), recorder, at)


def _compare_stability(what: str, old: Any, new: Any, recorder: Recorder, at: str) -> None:
    if new is not None and new not in _LEVELS:
        recorder.report(f"{what}-stability-unknown", at, f"{show(new)} is not one of {', '.join(_LEVELS)}")
    elif old in _LEVELS:
        present = _LEVELS.index(new) if new in _LEVELS else -1
        if present < _LEVELS.index(old):
            recorder.report(f"{what}-stability-lower", at, f"it was {old}, is {show(new)}")


def _read_date(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
