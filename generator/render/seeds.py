"""The context of ``seeds.py``: records that the specifications bring along."""

from collections.abc import Mapping
from typing import Final

from generator.model import Model, Record, Seed
from generator.render.module import Assignments, Imports, call, code, code_tuple, package_of

_PROFILE: Final = "ImportProfile"


def build_seeds_module(model: Model, package: str) -> Assignments:
    """Build the module of seeds."""
    imports = Imports()
    imports.name("runtime.model.seed", "Seed")
    records = {str(record.name): record for record in model.records}
    profiles = _convert_profiles(model) if _PROFILE in records else ()
    seeds = [_seed(seed, records[seed.record], imports, package) for seed in (*model.seeds, *profiles)]
    assigned = f"SEEDS: tuple[Seed, ...] = {code_tuple(seeds)}"
    return Assignments.of("Records to insert once per realm and tenant.", imports, assigned)


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
