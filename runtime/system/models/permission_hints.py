"""PermissionHints, from runtime/system/specs/gateway/permission_hints.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Strict


class PermissionHintsSubject(Strict):
    """Part of PermissionHints."""

    root_type: str
    area: str
    functional_domain: str
    actions: list[str]


class PermissionHintsExample(Strict):
    """Part of PermissionHints."""

    intent: str
    request: dict[str, Any]


class PermissionHints(Strict):
    """How permissions are decided, with what the caller may do."""

    summary: str
    subjects: list[PermissionHintsSubject]
    examples: list[PermissionHintsExample]
