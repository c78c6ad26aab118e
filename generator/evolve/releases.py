"""``specs/released/``: the version that later ones are compared with, and what was declared for it.

``openapi.json`` is rendered as the generated one.
``stored.json`` has what the specifications say about stored data, ``callers.json`` what they let callers do,
``breaking.json`` the declarations of all releases. ``SHA256SUMS`` has the hashes of the first three, so that
a file of another release, or a changed one, is noticed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from generator.evolve.callers import describe_callers, render_callers
from generator.evolve.revisions import UnknownVersionError
from generator.evolve.sources import CALLERS_FILE, STORED_FILE, read_document_file, render_sums
from generator.evolve.stored import UnreadableReleaseError, describe_stored, render_stored
from generator.evolve.version import Version
from generator.files import TEMPORARY, replace_file
from generator.findings import Verdict
from generator.folders import DOCUMENT_FILE
from generator.model import Model
from generator.openapi import render_document
from generator.output import Texts

_FOLDER, _HISTORY_FILE, _BREAKING_FILE = "released", "breaking.json", "breaking.yaml"

_MOST_SECONDS = 3600
"""How old a file may be that is just being written: an older one is of a release that was killed."""


def read_release(specs: Path) -> Version | None:
    """Read the last release; None where nothing of one is there. Raises as ``read_document_file`` does."""
    path = specs / _FOLDER / DOCUMENT_FILE
    if path.is_file():
        return read_document_file(path)
    if any(path.with_name(name).is_file() for name in (STORED_FILE, CALLERS_FILE)):
        raise UnreadableReleaseError(f"{path} is missing: restore it from the revision of the release")
    return None


def write_release(model: Model, verdict: Verdict | None, specs: Path, today: date) -> Iterator[str]:
    """Write the release, and move the declarations to its history; yield what was done."""
    folder = specs / _FOLDER
    for unfinished in folder.glob(f"{TEMPORARY}*"):
        with suppress(FileNotFoundError):  # written at this moment, by another run
            if unfinished.stat().st_mtime < time.time() - _MOST_SECONDS:
                unfinished.unlink()
    if verdict is not None and verdict.declared:
        history, entry = _read_history(folder / _HISTORY_FILE), _describe_release(model, verdict, today)
        if history and history[-1]["breaking"] == entry["breaking"]:  # of a release that was interrupted
            history.pop()
        history.append(entry)
        replace_file(folder / _HISTORY_FILE, json.dumps(history, indent=1, ensure_ascii=False) + "\n")
        yield f"wrote {folder / _HISTORY_FILE}"
    texts: Texts = {
        DOCUMENT_FILE: render_document(model),
        STORED_FILE: render_stored(describe_stored(model)),
        CALLERS_FILE: render_callers(describe_callers(model, CALLERS_FILE)),
    }
    for name, text in (*texts.items(), render_sums(texts)):
        replace_file(folder / name, text)
        yield f"wrote {folder / name}"
    if (specs / _BREAKING_FILE).is_file():
        (specs / _BREAKING_FILE).unlink()
        yield f"removed {specs / _BREAKING_FILE}"
    yield f"released {model.title} {model.version}"


def _read_history(path: Path) -> list[Any]:
    if not path.is_file():
        return []
    try:
        found = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise UnknownVersionError(f"{path} is not JSON: {error}") from None
    return found if isinstance(found, list) else []


def _describe_release(model: Model, verdict: Verdict, today: date) -> dict[str, Any]:
    changes = [
        {
            "rule": finding.rule.id,
            "at": finding.at,
            "message": finding.message,
            "date": finding.declaration.date,
            "reason": finding.declaration.reason,
        }
        for finding in verdict.findings
        if finding.declaration
    ]
    return {"version": model.version, "released": today.isoformat(), "breaking": changes}
