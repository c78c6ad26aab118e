"""Records to insert once per realm and tenant. Written by the generator; do not edit."""

from runtime.record_type import Seed
from sample_generated.record_types import DEPOT, MAKER

SEEDS: tuple[Seed, ...] = (
    Seed(MAKER, 2, ({"refName": "acme", "displayName": "Acme", "name": "Acme"},)),
    Seed(DEPOT, 1, ({"refName": "north", "city": "Porto"},)),
)
