"""The stages from specifications to texts, as ``generate`` and ``check`` run them."""

from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import orjson
import typer

from generator.cache import TextCache, hash_parts
from generator.command_line import Style
from generator.editor_names import EditorNames
from generator.folders import list_folders
from generator.model import Model
from generator.refusal import refuse
from generator.spec_runs import resolve_specs


def render_wanted(
    specs: Path, out: Path, package: str, style: Style, cache: TextCache
) -> tuple[Model, Mapping[Path, Mapping[str, str | bytes]]]:
    """Return the model, and folder → the texts that belong there. Exits as ``resolve_specs`` does.

    Prints warnings, which JSON has in the value of the command.
    """
    if out.exists() and not out.is_dir():
        refuse(f"{out} is a file; pass --out DIR for the generated code")
    if not all(part.isidentifier() and not iskeyword(part) for part in package.split(".")):
        refuse(f"{package} is not a valid Python package name; pass --package NAME, such as generated")
    model = resolve_specs(specs, style, is_cached=cache.is_lasting, meanwhile=_load_stages)
    for one in model.warnings:
        if style is Style.TEXT:
            typer.echo(one.show("warning"), err=True)
        elif style is Style.GITHUB:
            typer.echo(one.show_command("warning"))
    code, *system, editors = list_folders(specs, out)
    from generator.render import begin_rendering, render_system

    with begin_rendering(model, package, cache, out) as finish:
        others: dict[Path, Mapping[str, str | bytes]] = {
            **{folder: render_system(model, cache) for folder in system},
            editors: _render_editor_schemas(EditorNames.of(model), cache),
        }
        return model, {code: finish(), **others}


def _load_stages() -> None:
    """Load what resolves and renders all of a model: it takes as long as to read a large one."""
    for name in ("generator.resolve", "generator.render", "generator.type_library"):
        import_module(name)


def _render_editor_schemas(names: EditorNames, cache: TextCache) -> Mapping[str, str | bytes]:
    """Return path → text, from an earlier run with the same names if there was one."""
    key = hash_parts("editors", names)
    found = cache.find(key)
    if found is None:
        from generator.editor_schemas import render_editor_schemas

        found = orjson.dumps(render_editor_schemas(names)).decode()
        cache.store(key, found)
    return {f"{kind}.json": text for kind, text in orjson.loads(found).items()}
