"""The name under which a reader can call this command again."""

import shutil
import sys
from pathlib import Path
from typing import Final

_NAME: Final = "recordsmith"


def command_name() -> str:
    """Return ``recordsmith`` where the shell finds this very command, else the path it was called by."""
    called, found = Path(sys.argv[0]), shutil.which(_NAME)
    if called.name != _NAME or (found and called.exists() and Path(found).samefile(called)):
        return _NAME
    return str(called)
