"""The templates of the pages: our own, each of which an application may replace (``Seams.page_templates``).

Whatever is put into a page is escaped, and no template can switch that off. The style sheet is part of the
page, by ``<style>{% include "style.css" %}</style>``; the Content-Security-Policy allows it by its hash, and
no other that could be slipped into a page.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.nodes import EvalContextModifier

from runtime.errors import Misconfigured
from runtime.oauth.pages.samples import SAMPLES

_OWN: Final = Path(__file__).parent / "templates"
_STYLE: Final = "style.css"


class Templates:
    """Those of one service; files in ``folder`` replace ours, and are tried. Raises ``Misconfigured``."""

    def __init__(self, folder: Path | None) -> None:
        folders = [_OWN] if folder is None else [folder, _OWN]
        self._loader = FileSystemLoader(folders)
        self._environment = Environment(
            loader=self._loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        del self._environment.filters["safe"]
        try:
            self._style = self._read_style()
            if folder is not None:
                self._try_pages()
        except (TemplateError, OSError, UnicodeError) as error:
            where = f"{error.name} line {error.lineno}: " if isinstance(error, TemplateSyntaxError) else ""
            raise Misconfigured(f"Seams.page_templates {folder}: {where}{error}", cause=error) from None

    def render(self, name: str, values: Mapping[str, Any]) -> bytes:
        """Render a page; every value is text, which cannot become markup."""
        template = self._environment.get_template(f"{name}.html")
        return template.render(values).encode(errors="replace")

    def build_policy(self, *, has_form: bool) -> str:
        """Build the Content-Security-Policy of a page.

        A page with a form has no ``form-action``: Chromium applies that to all redirects that follow too, and
        where those of an application lead is not known here.
        """
        digest = base64.b64encode(hashlib.sha256(self._style.encode()).digest()).decode()
        rules = ["default-src 'none'", f"style-src 'sha256-{digest}'", "img-src data:", "base-uri 'none'"]
        return "; ".join([*rules, "frame-ancestors 'none'", *([] if has_form else ["form-action 'none'"])])

    def _read_style(self) -> str:
        style = self._environment.get_template(_STYLE).render()
        if "</" in style or "<!" in style:
            raise TemplateError(f"{_STYLE} may not contain markup")
        return style

    def _try_pages(self) -> None:
        """Render each page with all its variables. Raises what the templates raise."""
        self._check_escaping()
        for name, sample in SAMPLES.items():
            for fault in (None, "a fault"):
                self.render(name, {**sample, "title": "A title", "fault": fault})

    def _check_escaping(self) -> None:
        for name in self._environment.list_templates(extensions=["html"]):
            source = self._loader.get_source(self._environment, name)[0]
            if self._environment.parse(source, name).find(EvalContextModifier):
                raise TemplateError(f"{name} may not switch autoescape off")


@lru_cache(maxsize=8)
def require_templates(folder: Path | None) -> Templates:
    """Load our templates, or try and load those of an application. Raises ``Misconfigured``."""
    if folder is not None and not folder.is_dir():
        raise Misconfigured(f"Seams.page_templates {folder} is not a directory")
    return Templates(folder)
