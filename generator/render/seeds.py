"""The context of ``seeds.py``: records that the specifications bring along."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from generator.model import Model, Record, Seed
from generator.render.module import Assignments, Imports, call, code, code_tuple, package_of


def build_seeds_module(model: Model, package: str) -> Assignments:
    """Build the module of seeds."""
    imports = Imports()
    imports.name("runtime.model.seed", "Seed")
    records = {str(record.name): record for record in model.records}
    planted = (*model.seeds, *_join_profiles(model))
    seeds = [_seed(one, records[one.record], imports, package) for one in planted]
    assigned = f"SEEDS: tuple[Seed, ...] = {code_tuple(seeds)}"
    return Assignments.of("Records to insert once per realm and tenant.", imports, assigned)


def _join_profiles(model: Model) -> Iterator[Seed]:
    """Join the seeds of import profiles, of which there is one for each, where version and sharing agree."""
    key = attrgetter("shared", "version")
    for _key, alike in groupby(sorted(model.import_profiles, key=key), key):
        first, *others = alike
        yield replace(first, rows=(*first.rows, *(row for one in others for row in one.rows)))


def _seed(seed: Seed, record: Record, imports: Imports, package: str) -> str:
    constant = imports.name(f"{package_of(record, package)}.record_types", str(record.constant))
    rows = tuple(dict(row) for row in seed.rows)
    shared = "True" if seed.shared else None
    kind = imports.name("runtime.model.seed", "Seed")
    return call(kind, constant, str(seed.version), code(rows), shared=shared)
