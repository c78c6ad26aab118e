"""All records of a service compared with the model, and those with which its life begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.life.clients import Client, Peer
from tests.life.model import Entry, Model, as_fields, pick_own
from tests.life.releases import CARRIER_NAMES, CARRIERS, PARCELS

_PAGE = 1000
_BATCH = 500
_MOST_SHOWN = 5


async def load_records(peer: Peer, clients: Sequence[Client], number: int) -> None:
    """Save carriers, and parcels for all clients in turn."""
    model, fields = clients[0].scene.model, as_fields(peer.views, PARCELS)
    for name in CARRIER_NAMES:
        values = {"group": "carriers", "name": name}
        answer = await peer.http.post(CARRIERS, json={"refName": name} | values)
        model.carriers[name] = answer.raise_for_status().json()["id"]
        model.entries.setdefault(CARRIERS, {})[model.carriers[name]] = Entry(values)
    for begin in range(0, number, _BATCH):
        owners = [clients[one % len(clients)] for one in range(begin, min(number, begin + _BATCH))]
        made = [(one, one.make(PARCELS, fields)) for one in owners]
        bodies = [
            model.write({k: v for k, v in values.items() if k != "stage"}, fields) for _one, values in made
        ]
        saves = [{"op": "save", "record": body} for body in bodies]
        answer = await peer.http.post(f"{PARCELS}/bulk", json={"operations": saves})
        for (client, values), result in zip(made, answer.raise_for_status().json()["results"], strict=True):
            assert result["status"] == 201, result
            client.note(PARCELS, result, {"priority": 3} | values)


async def compare_records(model: Model, peer: Peer) -> list[str]:
    """Read everything, page by page, and return what is not as it was acknowledged."""
    wrong = []
    for path in peer.views:
        entries, fields = dict(model.entries.get(path, {})), as_fields(peer.views, path)
        for row in await _read_all(peer, path):
            entry = entries.pop(row["id"], None)
            own = pick_own(row, fields, is_strict=peer.is_strict)
            if entry is None:
                wrong.append(f"{path}: {row} was never acknowledged")
            elif own != model.show(entry, fields) or row["version"] != entry.version:
                expected = f"{model.show(entry, fields)} version {entry.version}"
                wrong.append(f"{path}: {own} version {row['version']}, not {expected}")
        wrong += [f"{path}: {record} is lost: {entry}" for record, entry in entries.items()]
        counted = await peer.http.get(f"{path}/count")
        if counted.raise_for_status().json()["count"] != len(model.entries.get(path, {})):
            wrong.append(f"{path}: {counted.text} counted")
    return [*wrong[:_MOST_SHOWN], *([f"{len(wrong)} in all"] if wrong[_MOST_SHOWN:] else [])]


async def _read_all(peer: Peer, path: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": _PAGE}
    while True:
        answer = await peer.http.get(f"{path}/list", params=query)
        page = answer.raise_for_status().json()
        rows += page["rows"]
        if "nextCursor" not in page:
            return rows
        query["cursor"] = page["nextCursor"]
