"""The OpenAPI document of each functional area: the part of the whole that describes its routes.

They are made of the whole document when one of them is asked for, so that the text is written and reviewed
once.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from runtime.contract.components import reached


@lru_cache(maxsize=1)
def area_documents(document: bytes) -> Mapping[str, bytes]:
    """Return the document of each area, by its name; applications of one process share them."""
    whole = orjson.loads(document)
    return {group["name"]: orjson.dumps(_part(whole, group)) for group in whole.get("x-tagGroups", ())}


def behind_prefix(document: bytes, root_path: str) -> bytes:
    """Return the document behind a proxy's prefix, which becomes its server, and part of other URLs."""
    if not root_path:
        return document
    plain = orjson.loads(document)
    for server in plain.get("servers", ()):
        server["url"] = root_path + server["url"].rstrip("/")
    for scheme in plain.get("components", {}).get("securitySchemes", {}).values():
        for flow in scheme.get("flows", {}).values():
            flow |= {name: root_path + url for name, url in flow.items() if name.endswith("Url")}
    return orjson.dumps(plain)


def _part(whole: Mapping[str, Any], group: Mapping[str, Any]) -> dict[str, Any]:
    tags = frozenset(group["tags"])
    paths = {path: _operations(methods, tags) for path, methods in whole["paths"].items()}
    paths = {path: methods for path, methods in paths.items() if methods}
    secured = {"securitySchemes": whole["components"]["securitySchemes"]}
    return {
        **whole,
        "info": {**whole["info"], "title": f"{whole['info']['title']}: {group['name']}"},
        "tags": [tag for tag in whole["tags"] if tag["name"] in tags],
        "x-tagGroups": [group],
        "paths": paths,
        "components": {**reached(whole["components"], paths), **secured},
    }


def _operations(methods: Mapping[str, Any], tags: frozenset[str]) -> dict[str, Any]:
    return {method: one for method, one in methods.items() if tags.intersection(one["tags"])}
