"""The application: every router, the catalogue, the document. Written by the generator; do not edit."""

from pathlib import Path

from fastapi import FastAPI

from runtime.app import create_app
from runtime.http import LaterRouter
from runtime.seams import Seams
from runtime.settings import Settings
from sample_generated.record_types import CATALOG
from sample_generated.routers.gateway_endpoints import router as gateway_endpoints_router
from sample_generated.routers.goods_in_endpoints import router as goods_in_endpoints_router
from sample_generated.routers.integration_endpoints import router as integration_endpoints_router
from sample_generated.routers.security_endpoints import router as security_endpoints_router
from sample_generated.routers.shop_endpoints import router as shop_endpoints_router
from sample_generated.rules import RULES, SUBJECTS
from sample_generated.seeds import SEEDS
from sample_generated.tools import TOOLS

DOCUMENT = Path(__file__).with_name("openapi.json")
ROUTERS = (
    LaterRouter("/shop/articles", "sample_generated.routers.article"),
    LaterRouter("/shop/colours", "sample_generated.routers.colour"),
    LaterRouter("/integration/completionTask", "sample_generated.routers.completion_task"),
    LaterRouter("/integration/completionTaskGroup", "sample_generated.routers.completion_task_group"),
    LaterRouter("/goods-in/deliveries", "sample_generated.routers.delivery"),
    LaterRouter("/shop/depots", "sample_generated.routers.depot"),
    gateway_endpoints_router,
    goods_in_endpoints_router,
    LaterRouter("/integration/import-profiles", "sample_generated.routers.import_profile"),
    integration_endpoints_router,
    LaterRouter("/shop/who/makers", "sample_generated.routers.maker"),
    LaterRouter("/security/oauth/clients", "sample_generated.routers.oauth_client"),
    LaterRouter("/security/permission/rules", "sample_generated.routers.permission_rule"),
    security_endpoints_router,
    shop_endpoints_router,
    LaterRouter("/integration/webhooks", "sample_generated.routers.webhook"),
)


def create(settings: Settings | None = None, seams: Seams | None = None) -> FastAPI:
    """The application, ready for a server: ``sample_generated.app:create``."""
    return create_app(
        CATALOG,
        ROUTERS,
        document=DOCUMENT,
        title="Sample",
        seeds=SEEDS,
        rules=RULES,
        subjects=SUBJECTS,
        tools=TOOLS,
        settings=settings or Settings.read(app="sample_generated.app:create"),
        seams=seams,
    )
