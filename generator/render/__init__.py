"""Model → the texts of everything under ``generated/``. Pure but for one call of ruff, the formatter."""

from generator.render.module import HEADER
from generator.render.texts import render

__all__ = ["HEADER", "render"]
