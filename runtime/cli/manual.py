"""``recordsmith manual``: the pages of documentation that are installed with the package."""

from pathlib import Path
from typing import Annotated

import typer

from runtime import cli
from runtime.cli.output import AsJson, CommandFailed, ExitCode, report
from runtime.model.nearest import hint

_RUNTIME = Path(cli.__file__).parents[1]
_PAGE = "README.md"


def manual(
    page: Annotated[str | None, typer.Argument(help="The name of a page; all names when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a page of the documentation, or list all."""
    pages = _find_pages()
    if page is None:
        titles = {name: _read_title(file) for name, file in pages.items()}
        width = max(map(len, titles))
        lines = "\n".join(f"{name:{width}}  {title}" for name, title in titles.items())
        report(titles, as_json, lambda _out: typer.echo(lines))
    elif page in pages:
        text = pages[page].read_text("utf-8")
        report({"page": page, "text": text}, as_json, lambda _out: typer.echo(text, nl=False))
    else:
        near = hint(page, pages) or "; `recordsmith manual` lists all pages"
        raise CommandFailed("manual.unknown", f"the manual has no page {page!r}{near}", ExitCode.USAGE)


def _find_pages() -> dict[str, Path]:
    """Find the pages by name: the language of specifications, then the packages of the runtime."""
    found = sorted(file for file in _RUNTIME.rglob("*.md") if file.parent != _RUNTIME)
    places = {file: file.parent if file.name == _PAGE else file.with_suffix("") for file in found}
    packages = {place.relative_to(_RUNTIME).as_posix(): file for file, place in places.items()}
    return {"specs": _RUNTIME.parent / "specs" / _PAGE, **packages}


def _read_title(file: Path) -> str:
    return file.read_text("utf-8").partition("\n")[0].removeprefix("# ")
