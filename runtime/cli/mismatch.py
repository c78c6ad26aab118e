"""Generated code that lacks a file, or that does not fit this runtime: reported in one line."""

import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from runtime.cli.version import find_version
from runtime.errors import Misconfigured
from runtime.errors.raised import describe_raised

_LIST: Final = ".generated"
_WRITER: Final = re.compile(r"# recordsmith (\S+)\n")
_RUNTIME: Final = __name__.rpartition(".cli.")[0]


@dataclass(frozen=True, slots=True)
class _Code:
    """Generated code: its folder, and the name by which Python imports that."""

    folder: Path
    package: str

    @property
    def path(self) -> str:
        """The path of the folder, as in the name of its package."""
        return self.package.replace(".", "/") or self.folder.name


@contextmanager
def explain_mismatch(module: Any = None) -> Iterator[None]:
    """Raise ``Misconfigured`` where generated code uses what this runtime or the code itself lacks.

    ``module``: one of the code, where something else imports the others.
    """
    try:
        yield
    except (ImportError, TypeError, AttributeError) as error:
        found = _find_generated(error)
        code = found or (_Code(Path(module.__file__).parent, module.__package__) if module else None)
        message = _describe_missing(code, error)
        if message is None and found is not None:
            message = _describe(found, error)
        if message is None:
            raise
        raise Misconfigured(message, cause=error) from None


def import_application(named: str) -> Any:
    """Import the module of the setting ``service.app``.

    Raises ``Misconfigured`` where the module exits, which would end the process without a word; and what else
    it raises.
    """
    try:
        return import_module(named.partition(":")[0])
    except SystemExit as error:
        raise _report_exit(named, "be imported", error) from None


def create_application(named: str) -> Any:
    """Import the module of the setting ``service.app`` and call its function, with the same errors."""
    application = import_application(named)
    try:
        return attrgetter(named.partition(":")[2])(application)()
    except SystemExit as error:
        raise _report_exit(named, "create the application", error) from None


def _report_exit(named: str, task: str, error: SystemExit) -> Misconfigured:
    raised = describe_raised(error, named.partition(":")[0].rpartition(".")[2])
    return Misconfigured(f"service.app {named} cannot {task}: {raised}", cause=error)


def load_routers(module: Any, *, always: bool = False) -> None:
    """Load the routers of an application that another version generated, instead of at their first request.

    The module may be one of the project that builds on the generated one. ``always``: whatever version has
    generated it. Raises ``Misconfigured``, and what a router raises.
    """
    generated = _find_module(module)
    if generated is None:
        return
    if _read_writer(Path(generated.__file__).parent) == find_version() and not always:
        return
    with explain_mismatch(generated):
        app = module if module is generated else import_module(f"{generated.__package__}.app")
        routers: Iterable[Any] = getattr(app, "ROUTERS", ())
        for router in routers:
            _ = router.routes


def _find_module(module: Any) -> Any:
    """Return a module if it is generated, else a generated one that has the same record types, if any."""
    if _is_generated(module):
        return module
    catalog = vars(module).get("CATALOG")
    modules = [one for one in sys.modules.values() if isinstance(one, ModuleType)]
    others = (one for one in modules if catalog is not None and vars(one).get("CATALOG") is catalog)
    return next(filter(_is_generated, others), None)


def _is_generated(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and (Path(file).parent / _LIST).is_file()


def _find_generated(error: Exception) -> _Code | None:
    """Return the generated code in which the error arose; None of an error about other code."""
    *_, (innermost, _line) = traceback.walk_tb(error.__traceback__)
    package = innermost.f_globals.get("__package__") or ""
    for folder in Path(innermost.f_code.co_filename).parents[:2]:
        if (folder / _LIST).is_file():
            is_about = f"{getattr(error, 'name', '')}.".startswith((f"{_RUNTIME}.", f"{package}."))
            return _Code(folder, package) if is_about or not isinstance(error, ImportError) else None
        package = package.rpartition(".")[0]
    return None


def _describe_missing(code: _Code | None, error: Exception) -> str | None:
    """Name what of the generated code does not exist; None where another module lacks something."""
    if code is None or not isinstance(error, ModuleNotFoundError):
        return None
    if not f"{error.name}".startswith(f"{code.package}."):
        return None
    path = f"{error.name}"[len(code.package) + 1 :].replace(".", "/")
    is_folder = f"  {path}/" in (code.folder / _LIST).read_text("utf-8", "replace")
    end = "/" if is_folder else ".py"
    return f"{code.path}/{path}{end} does not exist: run `make generate`, which writes it"


def _describe(code: _Code, error: Exception) -> str:
    writer, installed = _read_writer(code.folder), find_version()
    by = f"recordsmith {writer}" if writer else "another version of recordsmith"
    here = f"the installed recordsmith {installed}" if installed else "the runtime of this folder"
    if writer and writer == installed:
        here = "it, as one of both was changed since"
    ways = f", or install recordsmith {writer}" if writer and writer != installed else ""
    return f"{code.path}/ was generated by {by} and does not fit {here} ({error}): run `make generate`{ways}"


def _read_writer(folder: Path) -> str | None:
    """Return the version that wrote a folder; earlier versions did not note it."""
    found = _WRITER.match((folder / _LIST).read_text("utf-8", "replace"))
    return found[1] if found else None
