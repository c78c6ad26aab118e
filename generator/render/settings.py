"""``settings.toml``: the settings of ``service.yaml``, which the runtime reads next to the application."""

import json
from collections.abc import Mapping

from generator.render.module import HEADER

FILE_NAME = "settings.toml"


def render_settings(settings: Mapping[str, object]) -> str:
    """Write the settings as TOML, sorted. JSON's numbers, booleans and strings are those of TOML."""
    lines = (f'"{name}" = {json.dumps(settings[name])}' for name in sorted(settings))
    return "\n".join([f"# Settings of specs/service.yaml. {HEADER}", *lines]) + "\n"
