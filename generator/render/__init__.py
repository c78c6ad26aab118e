"""Model → the texts of ``generated/`` and ``runtime/system/``. Pure but for the formatter, ruff."""

from generator.render.module import HEADER
from generator.render.texts import begin_rendering, render, render_system

__all__ = ["HEADER", "begin_rendering", "render", "render_system"]
