"""The context of ``seeds.py``: records that the specifications bring along."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from generator.model import Model, Record, Seed
from generator.render.module import HEADER, Imports, Module, call, code, package_of
from generator.render.record_types import code_tuple

_PROFILE: Final = "ImportProfile"


@dataclass(frozen=True, slots=True)
class SeedsModule(Module):
    """``seeds`` is a tuple of ``Seed(…)``."""

    seeds: str


def build_seeds_module(model: Model, package: str) -> SeedsModule:
    """Build the module of seeds."""
    imports = Imports()
    imports.name("runtime.model.seed", "Seed")
    records = {str(record.name): record for record in model.records}
    profiles = _convert_profiles(model) if _PROFILE in records else ()
    seeds = [_seed(seed, records[seed.record], imports, package) for seed in (*model.seeds, *profiles)]
    doc = f'"""Records to insert once per realm and tenant. {HEADER}"""'
    return SeedsModule(doc, imports.lines, code_tuple(seeds))


def _convert_profiles(model: Model) -> tuple[Seed, ...]:
    """Convert import profiles to seeds."""
    alike: dict[tuple[bool, int], list[Mapping[str, object]]] = {}
    for profile in model.import_profiles:
        alike.setdefault((profile.shared, profile.version), []).append(profile.values)
    return tuple(
        Seed(_PROFILE, version, tuple(rows), "", shared) for (shared, version), rows in sorted(alike.items())
    )


def _seed(seed: Seed, record: Record, imports: Imports, package: str) -> str:
    constant = imports.name(f"{package_of(record, package)}.record_types", str(record.constant))
    rows = tuple(dict(row) for row in seed.rows)
    shared = "True" if seed.shared else None
    kind = imports.name("runtime.model.seed", "Seed")
    return call(kind, constant, str(seed.version), code(rows), shared=shared)
