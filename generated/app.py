"""The application: every router, the catalogue, the document. Written by the generator; do not edit."""

from pathlib import Path

from fastapi import FastAPI

from generated.record_types import CATALOG
from generated.rules import RULES, SUBJECTS
from generated.seeds import SEEDS
from generated.tools import TOOLS
from runtime.app import create_app
from runtime.handler_loading import Handler
from runtime.http import LaterRouter
from runtime.seams import Seams
from runtime.settings import Settings

DOCUMENT = Path(__file__).with_name("openapi.json")
ROUTERS = (
    LaterRouter("/logistics/airports", "generated.routers.airport"),
    LaterRouter("/logistics/carriers", "generated.routers.carrier"),
    LaterRouter("/integration/completionTask", "generated.routers.completion_task"),
    LaterRouter("/integration/completionTaskGroup", "generated.routers.completion_task_group"),
    LaterRouter("/logistics/countries", "generated.routers.country"),
    LaterRouter("/logistics/customers", "generated.routers.customer"),
    LaterRouter("", "generated.routers.gateway_endpoints"),
    LaterRouter("/integration/import-profiles", "generated.routers.import_profile"),
    LaterRouter("", "generated.routers.integration_endpoints"),
    LaterRouter("/security/oauth/clients", "generated.routers.oauth_client"),
    LaterRouter("/logistics/orders", "generated.routers.order"),
    LaterRouter("/security/permission/rules", "generated.routers.permission_rule"),
    LaterRouter("/logistics/ports", "generated.routers.port"),
    LaterRouter("/logistics/products", "generated.routers.product"),
    LaterRouter("/logistics/regions", "generated.routers.region"),
    LaterRouter("", "generated.routers.security_endpoints"),
    LaterRouter("/logistics/shipments", "generated.routers.shipment"),
    LaterRouter("/logistics/suppliers", "generated.routers.supplier"),
    LaterRouter("/integration/webhooks", "generated.routers.webhook"),
)
HANDLERS: tuple[Handler, ...] = ()


def create(settings: Settings | None = None, seams: Seams | None = None) -> FastAPI:
    """The application, ready for a server: ``generated.app:create``."""
    return create_app(
        CATALOG,
        ROUTERS,
        document=DOCUMENT,
        title="Recordsmith",
        seeds=SEEDS,
        rules=RULES,
        subjects=SUBJECTS,
        tools=TOOLS,
        handlers=HANDLERS,
        settings=settings or Settings.read(app="generated.app:create"),
        seams=seams,
    )
