"""The application: every router, the catalogue, the document. Written by the generator; do not edit."""

from pathlib import Path

from fastapi import FastAPI

from generated.record_types import CATALOG
from generated.routers.airport import router as airport_router
from generated.routers.carrier import router as carrier_router
from generated.routers.completion_task import router as completion_task_router
from generated.routers.completion_task_group import router as completion_task_group_router
from generated.routers.country import router as country_router
from generated.routers.customer import router as customer_router
from generated.routers.gateway_endpoints import router as gateway_endpoints_router
from generated.routers.import_profile import router as import_profile_router
from generated.routers.integration_endpoints import router as integration_endpoints_router
from generated.routers.oauth_client import router as oauth_client_router
from generated.routers.order import router as order_router
from generated.routers.permission_rule import router as permission_rule_router
from generated.routers.port import router as port_router
from generated.routers.product import router as product_router
from generated.routers.region import router as region_router
from generated.routers.security_endpoints import router as security_endpoints_router
from generated.routers.shipment import router as shipment_router
from generated.routers.supplier import router as supplier_router
from generated.routers.webhook import router as webhook_router
from generated.rules import RULES, SUBJECTS
from generated.seeds import SEEDS
from generated.tools import TOOLS
from runtime.app import create_app
from runtime.seams import Seams
from runtime.settings import Settings

DOCUMENT = Path(__file__).with_name("openapi.json")
ROUTERS = (
    airport_router,
    carrier_router,
    completion_task_router,
    completion_task_group_router,
    country_router,
    customer_router,
    gateway_endpoints_router,
    import_profile_router,
    integration_endpoints_router,
    oauth_client_router,
    order_router,
    permission_rule_router,
    port_router,
    product_router,
    region_router,
    security_endpoints_router,
    shipment_router,
    supplier_router,
    webhook_router,
)


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
        settings=settings or Settings.read(app="generated.app:create"),
        seams=seams,
    )
