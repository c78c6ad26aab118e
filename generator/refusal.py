"""What a command says when it cannot be done: exit code 2, with what would be right."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENAMETOOLONG
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import typer

from generator.aside import ProcessEndedError
from generator.files import TEMPORARY
from generator.output import ForeignFilesError


@contextmanager
def explain_file_errors() -> Iterator[None]:
    """Say which file or folder cannot be read or written, and why, or that a process was killed; exit 2.

    A reader of the output that has gone is not a matter of files: it ends the command in silence.
    """
    try:
        yield
    except (ForeignFilesError, ProcessEndedError) as error:
        refuse(str(error))
    except FileExistsError as error:
        refuse(f"{error.filename} already exists and was not changed")
    except BrokenPipeError:
        raise
    except OSError as error:
        name, reason = str(error.filename or "a file"), error.strerror or str(error)
        if error.errno == ENAMETOOLONG:
            refuse(f"the name {name[:60]}… is too long for a file or folder here: choose a shorter one")
        if Path(name).name.startswith(TEMPORARY):
            name = str(Path(name).parent)
        refuse(
            f"{name} cannot be read or written: {reason}; choose another folder, or change its owner or mode"
        )


class RefusedError(typer.Exit):
    """The end of a command that cannot be done; ``message`` says why, and was printed."""

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


def refuse(message: str) -> NoReturn:
    """Print the message and end the command with exit code 2."""
    typer.echo(message, err=True)
    raise RefusedError(message)


def require_libraries() -> None:
    """Refuse a command whose libraries are not installed: a deployed service does not need the generator."""
    missing = [name for name in ("datamodel_code_generator", "ruff", "yaml") if find_spec(name) is None]
    if missing:
        refuse(f"the generator needs {', '.join(missing)}: install recordsmith[generator]")
