"""An error that code of the application raised, in one line for its author."""

import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final

_MOST: Final = 1000


def describe_raised(error: BaseException, module: str = "") -> str:
    """Describe an error and where it was raised, in at most a thousand characters.

    ``module``: the one whose line to name; without a line of it that is the line of the function that was
    called where the error was caught, whatever that called in turn.
    """
    raised = type(error).__name__
    with suppress(Exception):  # whose text cannot be had
        if text := " ".join(str(error).split()):
            raised = f"{raised}: {text}"[:_MOST]
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not _is_of_import(one)]
    own = [one for one in frames if _name_module(Path(one.filename)) == module] or frames[1:2]
    if isinstance(error, SyntaxError) or not own:  # the text of a SyntaxError ends with its place
        return raised
    return f"{raised} ({Path(own[-1].filename).name}, line {own[-1].lineno})"


def _is_of_import(frame: traceback.FrameSummary) -> bool:
    """Whether a frame is one of the import system, which says nothing about the application."""
    return frame.filename.startswith("<frozen importlib") or _name_module(Path(frame.filename)) == "importlib"


def _name_module(path: Path) -> str:
    """Return the last part of the name of the module in a file."""
    return path.parent.name if path.stem == "__init__" else path.stem
