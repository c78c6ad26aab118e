"""The application: every router, the catalogue, the document. Written by the generator; do not edit."""

from pathlib import Path

from fastapi import FastAPI

from runtime.app import create_app
from runtime.seams import Seams
from runtime.settings import Settings
from sample_generated.record_types import CATALOG
from sample_generated.routers.article import router as article_router
from sample_generated.routers.colour import router as colour_router
from sample_generated.routers.completion_task import router as completion_task_router
from sample_generated.routers.completion_task_group import router as completion_task_group_router
from sample_generated.routers.delivery import router as delivery_router
from sample_generated.routers.depot import router as depot_router
from sample_generated.routers.gateway_endpoints import router as gateway_endpoints_router
from sample_generated.routers.goods_in_endpoints import router as goods_in_endpoints_router
from sample_generated.routers.import_profile import router as import_profile_router
from sample_generated.routers.integration_endpoints import router as integration_endpoints_router
from sample_generated.routers.maker import router as maker_router
from sample_generated.routers.oauth_client import router as oauth_client_router
from sample_generated.routers.permission_rule import router as permission_rule_router
from sample_generated.routers.security_endpoints import router as security_endpoints_router
from sample_generated.routers.shop_endpoints import router as shop_endpoints_router
from sample_generated.routers.webhook import router as webhook_router
from sample_generated.rules import RULES, SUBJECTS
from sample_generated.seeds import SEEDS
from sample_generated.tools import TOOLS

DOCUMENT = Path(__file__).with_name("openapi.json")
ROUTERS = (
    article_router,
    colour_router,
    completion_task_router,
    completion_task_group_router,
    delivery_router,
    depot_router,
    gateway_endpoints_router,
    goods_in_endpoints_router,
    import_profile_router,
    integration_endpoints_router,
    maker_router,
    oauth_client_router,
    permission_rule_router,
    security_endpoints_router,
    shop_endpoints_router,
    webhook_router,
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
