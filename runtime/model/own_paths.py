"""Paths at which the service answers besides the routes of its specifications, which cannot take them."""

from typing import Final

HOME: Final = "/"
LIVE, READY, METRICS = "/live", "/ready", "/metrics"

DOCUMENT, AREA_DOCUMENT = "/openapi.json", "/openapi/{area}.json"
DOCS: Final = "/docs"
SIGN_IN_REDIRECT: Final = f"{DOCS}/oauth2-redirect"
DOCS_FILES: Final = tuple(f"{DOCS}/{name}" for name in ("page.js", "page.css", "callback.js"))
"""Files of the page of the document that are the service's own."""

DOCS_ASSETS: Final = tuple(
    f"{DOCS}/assets/{name}" for name in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png")
)
"""Files of the page that a library brings along."""

MCP: Final = "/mcp"
MCP_STREAM, MCP_MESSAGES = f"{MCP}/sse", f"{MCP}/messages/"

OWN_PATHS: Final = (
    *(LIVE, READY, METRICS, DOCS, SIGN_IN_REDIRECT, *DOCS_FILES, *DOCS_ASSETS),
    *(DOCUMENT, AREA_DOCUMENT, MCP, MCP_STREAM, MCP_MESSAGES, HOME),
)
