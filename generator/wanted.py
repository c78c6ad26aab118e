"""The stages from specifications to texts, as ``generate`` and ``check`` run them."""

from collections.abc import Mapping
from pathlib import Path

from generator.command_line import Style, pause_collection
from generator.editor_names import EditorNames
from generator.editor_schemas import render_editor_schemas
from generator.load import SYSTEM_SPECS
from generator.model import Model
from generator.output import LIST_NAME
from generator.refusal import refuse
from generator.render import render, render_system
from generator.version_runs import resolve_specs


def render_wanted(
    specs: Path, out: Path, package: str, style: Style
) -> tuple[Model, Mapping[Path, Mapping[str, str]]]:
    """Return the model, and folder → the texts that belong there. Exits as ``resolve_specs`` does."""
    if out.exists() and not out.is_dir():
        refuse(f"{out} is a file; pass --out DIR for the generated code")
    if not all(part.isidentifier() for part in package.split(".")):
        refuse(f"{package} is not a valid Python package name; pass --package NAME, such as generated")
    with pause_collection():
        model = resolve_specs(specs, style)
        texts = {out: render(model, package)}
        if (SYSTEM_SPECS.parent / LIST_NAME).exists():  # an installed package has its classes, and no list
            texts[_nearby(SYSTEM_SPECS.parent)] = render_system(model)
    schemas = {f"{kind}.json": text for kind, text in render_editor_schemas(EditorNames.of(model)).items()}
    return model, {**texts, specs / ".schema": schemas}


def _nearby(folder: Path) -> Path:
    """Return the folder from here, where it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
