"""Specifications written in a test: files by name → what they say."""

from __future__ import annotations

import textwrap
from pathlib import Path

from generator.load import load
from generator.model import Model
from generator.resolve import resolve

SERVICE = 'title: Parcels\nversion: "1.0.0"\nareas: {post: Parcels.}\n'


def write_specs(folder: Path, files: dict[str, str]) -> Path:
    """Write a folder of specifications; a file without a folder goes to the area ``post``."""
    for name, text in {"service.yaml": SERVICE, **files}.items():
        path = folder / (name if "/" in name or name == "service.yaml" else f"post/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
    return folder


def read_model(folder: Path, files: dict[str, str]) -> Model:
    """Resolve specifications without the service's own records."""
    return resolve(load(write_specs(folder, files)))
