"""The application: every router, the catalogue, the document. Written by the generator; do not edit."""

from pathlib import Path

from fastapi import FastAPI

from runtime.app import create_app
from runtime.handler_loading import Handler
from runtime.http import LaterRouter
from runtime.seams import Seams
from runtime.settings import Settings
from sample_generated.record_types import CATALOG
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
    LaterRouter("", "sample_generated.routers.gateway_endpoints"),
    LaterRouter("", "sample_generated.routers.goods_in_endpoints"),
    LaterRouter("/integration/import-profiles", "sample_generated.routers.import_profile"),
    LaterRouter("", "sample_generated.routers.integration_endpoints"),
    LaterRouter("/shop/who/makers", "sample_generated.routers.maker"),
    LaterRouter("/security/oauth/clients", "sample_generated.routers.oauth_client"),
    LaterRouter("/security/permission/rules", "sample_generated.routers.permission_rule"),
    LaterRouter("", "sample_generated.routers.security_endpoints"),
    LaterRouter("", "sample_generated.routers.shop_endpoints"),
    LaterRouter("/integration/webhooks", "sample_generated.routers.webhook"),
)
HANDLERS: tuple[Handler, ...] = (
    Handler("goodsIn_count", "sample_handlers:begin_stocktaking", "specs/goods-in/endpoints.yaml"),
    Handler("shop_ask", "sample_handlers:show_visit", "specs/shop/endpoints.yaml"),
    Handler("shop_forget", "sample_handlers:forget", "specs/shop/endpoints.yaml"),
    Handler("shop_greet", "sample_handlers:greet", "specs/shop/endpoints.yaml"),
    Handler("shop_opening", "sample_handlers:opening", "specs/shop/endpoints.yaml"),
    Handler("shop_register", "sample_handlers:register_visitor", "specs/shop/endpoints.yaml"),
    Handler("shop_visit", "sample_handlers:accept_visit", "specs/shop/endpoints.yaml"),
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
        handlers=HANDLERS,
        settings=settings or Settings.read(app="sample_generated.app:create"),
        seams=seams,
    )
