"""Releases of one service, each as edits of the specifications before it, and what its clients see.

``Release.edits`` is the diff that a team would commit. ``shows`` says how the fields of that release show
what the model (``model.py``) knows of a record; fields that are not named are shown as before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

Values = dict[str, Any]
Edits = Mapping[str, tuple[tuple[str, str], ...]]
"""File → what it says, and what it says instead; a file that begins says nothing before."""


@dataclass(frozen=True)
class Shown:
    """A field: the attribute of the model that it shows, how, and what clients write."""

    attribute: str
    draw: Callable[[Random, Values], Any]
    show: Callable[[Any], Any] = lambda value: value
    is_reference: bool = False


Views = Mapping[str, Mapping[str, Shown | None]]
"""Path of the routes → field → what it shows; None: the field is gone."""


@dataclass(frozen=True)
class Release:
    """``breaks``: what ``recordsmith diff`` has to call breaking, as rule and place, and nothing else.

    ``losses``: the steps that ask for ``--accept-loss``. ``settle``: what a migration makes of the values of a
    record, beyond what ``shows`` makes of them. ``undone``: the migrations that are undone and run again.
    """

    name: str
    edits: Edits
    shows: Views = field(default_factory=dict)
    breaks: frozenset[str] = frozenset()
    losses: tuple[str, ...] = ()
    settle: Callable[[str, Values], Values] = lambda _path, values: values
    undone: tuple[str, ...] = ()
    conflict: str | None = None
    """The field of a new unique index, over which there are duplicates at first."""
    moves: Mapping[str, str] = field(default_factory=dict)
    """Path of a record type → its path in this release; both have the same records."""
    merges: Mapping[str, tuple[str, Values]] = field(default_factory=dict)
    """Path of a record type → that of the one into which it is merged, and what such records have besides."""
    retires: Callable[[Values], Values] | None = None
    """What clients of the release before change in records first, since the new one has no place for it."""


PARCELS, CARRIERS, SHIPPERS, DEPOTS, PARTNERS = (
    f"/post/{name}" for name in ("parcels", "carriers", "shippers", "depots", "partners")
)

TOWNS = ("Rome", "Oslo", "Bonn", "Faro")
NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Emmy Noether")
SIZES = ("SMALL", "LARGE", "HUGE")
STAGES = {"NEW": ("SENT", "HELD"), "HELD": ("SENT",), "SENT": ("DONE",), "DONE": ()}
CARRIER_NAMES = tuple(f"carrier-{number}" for number in range(5))


def choose(*values: Any) -> Callable[[Random, Values], Any]:
    """Draw one of these."""
    return lambda random, _values: random.choice(values)


def _draw_stage(*unused: str) -> Callable[[Random, Values], Any]:
    def draw(random: Random, values: Values) -> str:
        now = values.get("stage", "NEW")
        return str(random.choice([now, *(one for one in STAGES[now] if one not in unused)]))

    return draw


def _show_group(_random: Random, values: Values) -> Any:
    return values["group"]


def _draw_number(random: Random, _values: Values) -> int:
    return random.randrange(1000)


def _rename_stage(value: str) -> str:
    return "OPEN" if value == "NEW" else value


def _at_inputs(rule: str, name: str) -> frozenset[str]:
    return frozenset({f"{rule} ParcelInput.{name}", f"{rule} ParcelPatch.{name}"})


def _is_gone(name: str) -> frozenset[str]:
    """Return what a client of a field loses with it."""
    rule = "response-optional-property-removed"
    answers = {f"{rule} Parcel.{name}", f"{rule} ParcelRow.{name}"}
    return _at_inputs("request-property-removed", name) | answers


BASE: Mapping[str, str] = {
    "service.yaml": 'title: Post\nversion: "1.0.0"\nareas: {post: Parcels.}\n',
    "post/parcel_lifecycle.yaml": """\
stateGraph: parcelLifecycle
states:
  NEW: {initial: true, next: [SENT, HELD]}
  HELD: {next: [SENT]}
  SENT: {next: [DONE]}
  DONE: {final: true}
""",
    "post/carrier.yaml": """\
record: Carrier
display: "{name}"
fields:
  group: {type: string, indexed: true}
  name: {type: string, required: true}
""",
    "post/parcel.yaml": """\
record: Parcel
fields:
  group: {type: string, required: true, indexed: true}
  code: {type: string, required: true, indexed: true}
  town: {type: string, indexed: true}
  recipient: {type: string}
  size: {type: string}
  weight: {type: integer}
  carrier: {reference: Carrier}
  status: {states: parcelLifecycle}
""",
}

BASE_VIEWS: Views = {
    PARCELS: {
        "group": Shown("group", _show_group),
        "code": Shown("code", lambda _random, values: values["code"]),
        "town": Shown("town", choose(*TOWNS, None)),
        "recipient": Shown("recipient", choose(*NAMES)),
        "size": Shown("size", choose(*SIZES, None)),
        "weight": Shown("weight", _draw_number),
        "carrier": Shown("carrier", choose(*CARRIER_NAMES), is_reference=True),
        "status": Shown("stage", _draw_stage()),
    },
    CARRIERS: {"group": Shown("group", _show_group), "name": Shown("name", choose(*NAMES))},
}  # fmt: skip

PARCEL = "post/parcel.yaml"

ADD = Release(
    "add a field and a record type",
    {
        PARCEL: (("  size:", "  priority: {type: integer, default: 3}\n  size:"),),
        "post/depot.yaml": (
            (
                "",
                "record: Depot\nfields:\n  group: {type: string, indexed: true}\n"
                "  name: {type: string, required: true}\n  town: string\n",
            ),
        ),
    },
    shows={
        PARCELS: {"priority": Shown("priority", choose(1, 2, 3))},
        DEPOTS: {
            "group": Shown("group", _show_group),
            "name": Shown("name", choose(*NAMES)),
            "town": Shown("town", choose(*TOWNS, None)),
        },
    },
)
RENAME = Release(
    "rename a field",
    {PARCEL: (("  town: {", "  city: {renamedFrom: town, "),)},
    shows={PARCELS: {"town": None, "city": Shown("town", choose(*TOWNS, None))}},
    undone=("Parcel",),
    breaks=_is_gone("town"),
)
NARROW = Release(
    "narrow a type",
    {PARCEL: (("size: {type: string}", "size: {enum: [SMALL, LARGE]}"),)},
    shows={
        PARCELS: {
            "size": Shown("size", choose("SMALL", "LARGE", None), lambda value: None if value == "HUGE" else value)
        }
    },
    losses=("Parcel.size.to-enum",),
    settle=lambda _path, values: values | {"size": None} if values.get("size") == "HUGE" else values,
    breaks=frozenset({"data-type-narrowed Parcel.size", *_at_inputs("request-became-enum", "size")}),
)  # fmt: skip
WIDEN = Release(
    "widen a type",
    {PARCEL: (("weight: {type: integer}", "weight: {type: decimal}"),)},
    shows={PARCELS: {"weight": Shown("weight", _draw_number, str)}},
    undone=("Parcel",),
    breaks=frozenset({"response-type-changed Parcel.weight", "response-type-changed ParcelRow.weight"}),
)
SPLIT_NAME = """\
RECORD = "Parcel"


async def forward(records):
    for one in records:
        if "givenName" not in one:
            one["givenName"], one["familyName"] = one["recipient"].split(" ", 1)
"""


def _split(path: str, values: Values) -> Values:
    if path != PARCELS or values.get("given") is not None:
        return values
    given, family = values["recipient"].split(" ", 1)
    return values | {"given": given, "family": family}


SPLIT = Release(
    "split a field by a migration written by hand",
    {
        PARCEL: (("  size:", "  givenName: string\n  familyName: string\n  size:"),),
        "../migrations/0001_split_name.py": (("", SPLIT_NAME),),
    },
    shows={
        PARCELS: {"givenName": Shown("given", choose("Ada", "Alan")), "familyName": Shown("family", choose("Noether"))}
    },
    settle=_split,
)  # fmt: skip
REMOVE = Release(
    "remove a field",
    {PARCEL: (("  recipient: {type: string}\n", ""),)},
    shows={PARCELS: {"recipient": None}},
    breaks=_is_gone("recipient") | {"data-field-removed Parcel.recipient"},
)
UNIQUE = Release(
    "a new unique index over dirty data",
    {PARCEL: (("code: {type: string, required: true, indexed: true}", "code: {type: string, required: true, unique: true}"),)},
    conflict="code",
    breaks=frozenset({"data-unique-index-added Parcel.code"}),
)  # fmt: skip
STATES = Release(
    "rename a state, and remove one",
    {
        "post/parcel_lifecycle.yaml": (
            ("NEW: {initial: true, next: [SENT, HELD]}", "OPEN: {initial: true, next: [SENT], renamedFrom: NEW}"),
            ("  HELD: {next: [SENT]}\n", ""),
        )
    },
    shows={PARCELS: {"status": Shown("stage", _draw_stage("HELD"), _rename_stage)}},
    retires=lambda values: values | {"stage": "SENT"} if values.get("stage") == "HELD" else values,
    undone=("Parcel",),
    breaks=frozenset({"data-state-removed Parcel.status", *_at_inputs("request-enum-value-removed", "status")}),
)  # fmt: skip
REFERENCE = Release(
    "rename a reference",
    {PARCEL: (("  carrier: {", "  haulier: {renamedFrom: carrier, "),)},
    shows={
        PARCELS: {"carrier": None, "haulier": Shown("carrier", choose(*CARRIER_NAMES), is_reference=True)}
    },
    undone=("Parcel",),
    breaks=_is_gone("carrier"),
)

RENAME_TYPE = Release(
    "rename a record type",
    {
        "post/carrier.yaml": (("record: Carrier", "record: Shipper\nrenamedFrom: Carrier"),),
        PARCEL: (("reference: Carrier}", "reference: Shipper}"),),
    },
    shows={CARRIERS: {}, SHIPPERS: BASE_VIEWS[CARRIERS]},
    moves={CARRIERS: SHIPPERS},
    breaks=frozenset({"record-type-moved Shipper"}),
)
MERGE_PARTNERS = """\
RECORD = "{type}"


async def forward(records, related):
    for one in records:
        kept = {{name: one[name] for name in ("refName", "group", "name", "town") if name in one}}
        await related.save("Partner", kept | {{"role": "{role}"}}, of=one)


async def backward(records, related):
    for one in records:
        await related.remove("Partner", of=one)
"""
FOLLOW_PARTNERS = """\
RECORD = "Parcel"


async def forward(records):
    for one in records:
        if "partner" not in one and "haulier" in one:
            one["partner"] = {"entityId": one["haulier"]["entityId"]}
"""
PARTNER = """\
record: Partner
fields:
  group: {type: string, indexed: true}
  name: {type: string, required: true}
  town: string
  role: {enum: [CARRIER, DEPOT], required: true}
"""


def _follow(path: str, values: Values) -> Values:
    if path != PARCELS or values.get("partner") is not None:
        return values
    return values | {"partner": values["carrier"]}


NOT_OFFERED = (
    ("POST", ""), ("PATCH", "id/{id}"), ("DELETE", "id/{id}"), ("PUT", "set"), ("PUT", "bulk/set"), ("POST", "bulk"),
    ("GET", "count"), ("GET", "entityref"), ("POST", "find"), ("GET", "refName/{refName}"), ("GET", "schema"),
    ("GET", "csv"), ("POST", "csv"), ("POST", "csv/session"), ("POST", "csv/session/profile"),
    ("DELETE", "csv/session/{sessionId}"), ("POST", "csv/session/{sessionId}/commit"),
    *(("GET", f"csv/session/{{sessionId}}/{name}") for name in ("errors", "progress", "rows")),
)  # fmt: skip
"""The operations of a record type that can only be read."""
READ_ONLY = (("fields:", "endpoints: [list, id]\nfields:"),)
MERGE = Release(
    "merge two record types",
    {
        "post/partner.yaml": (("", PARTNER),),
        "post/carrier.yaml": READ_ONLY,
        "post/depot.yaml": READ_ONLY,
        "../migrations/0002_merge_carriers.py": (("", MERGE_PARTNERS.format(type="Shipper", role="CARRIER")),),
        "../migrations/0003_merge_depots.py": (("", MERGE_PARTNERS.format(type="Depot", role="DEPOT")),),
    },
    shows={
        SHIPPERS: {}, DEPOTS: {},
        PARTNERS: {
            "group": Shown("group", _show_group),
            "name": Shown("name", choose(*NAMES)),
            "town": Shown("town", choose(*TOWNS, None)),
            "role": Shown("role", choose("CARRIER", "DEPOT")),
        },
    },
    merges={SHIPPERS: (PARTNERS, {"role": "CARRIER"}), DEPOTS: (PARTNERS, {"role": "DEPOT"})},
    breaks=frozenset(f"endpoint-removed {method} {path}/{rest}".rstrip("/")
                     for path in (SHIPPERS, DEPOTS) for method, rest in NOT_OFFERED),
)  # fmt: skip
FOLLOW = Release(
    "let references follow the records that were merged",
    {
        PARCEL: (("  size:", "  partner: {reference: Partner}\n  size:"),),
        "../migrations/0004_follow_partners.py": (("", FOLLOW_PARTNERS),),
    },
    shows={PARCELS: {"partner": Shown("partner", choose(*CARRIER_NAMES), is_reference=True)}},
    settle=_follow,
)

LIFE = (ADD, RENAME, SPLIT, NARROW, WIDEN, REMOVE, UNIQUE, STATES, REFERENCE, RENAME_TYPE, MERGE, FOLLOW)


def combine(name: str, *releases: Release) -> Release:
    """Return the upgrade over several releases at once, none of which asks for anything from clients."""
    edits: dict[str, tuple[tuple[str, str], ...]] = {}
    shows: dict[str, dict[str, Shown | None]] = {}
    for one in releases:
        for file, changes in one.edits.items():
            edits[file] = (*edits.get(file, ()), *changes)
        for path, fields in one.shows.items():
            shows.setdefault(path, {}).update(fields)
    breaks = frozenset().union(*(one.breaks for one in releases))
    moves = {path: later for one in releases for path, later in one.moves.items()}
    return Release(name, edits, shows, breaks, moves=moves)
