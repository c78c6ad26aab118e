"""A document whose references can be followed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
NOTHING: Json = {}

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""A parameter in a path."""

_MOST_STEPS = 32


class UnreadableDocumentError(Exception):
    """A file that should be an OpenAPI document and is not."""


class Document:
    """An OpenAPI document of version 3.0 or 3.1. Anything may be missing in it."""

    def __init__(self, value: Any, name: str) -> None:
        if not isinstance(value, dict) or not str(value.get("openapi", "")).startswith("3."):
            raise UnreadableDocumentError(f"{name} is not an OpenAPI 3 document")
        self.value: Json = value

    def section(self, *path: str) -> Json:
        """Return the object at a path; an empty one where there is none."""
        found: Any = self.value
        for step in path:
            found = found.get(step) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else NOTHING

    def follow(self, value: Any) -> tuple[str | None, Json]:
        """Return the name of the component that a reference leads to, or None, and the object itself."""
        name = None
        for _step in range(_MOST_STEPS):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                break
            steps = [step.replace("~1", "/").replace("~0", "~") for step in reference.split("/")[1:]]
            name = name or steps[-1] if steps else name
            value = self.section(*steps) if reference.startswith("#/") else NOTHING
        return name, value if isinstance(value, dict) else NOTHING


def as_object(value: Any) -> Json:
    """Return an object as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else NOTHING


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, an empty one for anything else."""
    return value if isinstance(value, list) else []
