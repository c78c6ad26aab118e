"""Records to insert once per realm and tenant. Written by the generator; do not edit."""

from runtime.model.seed import Seed
from runtime.system.record_types import IMPORT_PROFILE
from sample_generated.record_types import DEPOT, MAKER

SEEDS: tuple[Seed, ...] = (
    Seed(MAKER, 2, ({"refName": "acme", "displayName": "Acme", "name": "Acme"},)),
    Seed(DEPOT, 1, ({"refName": "north", "city": "Porto"},)),
    Seed(
        IMPORT_PROFILE,
        1,
        (
            {
                "refName": "legacyArticles",
                "targetType": "shop.Article",
                "displayName": "Articles of the old shop",
                "description": "The nightly file.",
                "columnMappings": [
                    {
                        "sourceColumn": "TITLE",
                        "targetField": "title",
                        "transformations": {"trim": True, "case": "TITLE"},
                    },
                    {
                        "sourceColumn": "MAKER",
                        "targetField": "maker.entityId",
                        "lookup": {
                            "lookupCollection": "shopMakers",
                            "lookupMatchField": "refName",
                            "lookupReturnField": "id",
                            "onNotFound": "FAIL",
                        },
                    },
                ],
            },
        ),
    ),
)
