"""The example service with the record types of ``scene.py`` only.

A backup, a restore or an erasure looks at each collection a dozen times and creates its indexes again: with all
record types that is most of what a test of one takes. ``test_killed.py`` has all.
"""

from __future__ import annotations

from generated import app
from runtime.model.catalog import Catalog

NAMES = frozenset(
    {
        *(
            "Region",
            "Order",
            "Revision",
            "IdempotencyKey",
            "Rename",
            "ImportSession",
            "SignOn",
            "WebhookDelivery",
        ),
        *("Credential", "RemovedUser", "Realm", "StoredShape", "RecordMigration", "ServiceWorker"),
        *("Restoration", "Erasure"),
    }
)

globals().update(vars(app))  # all that a command looks for in it

CATALOG = Catalog(
    tuple(kind for kind in app.CATALOG if kind.name in NAMES),
    roles=app.CATALOG.roles,
    shapes=app.CATALOG.shapes,
)
