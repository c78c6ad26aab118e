"""structlog as it is used here: without rich.

structlog loads rich where it is installed, for tracebacks that show local variables, and with them tokens
and passwords. These are never written, and rich takes 4 MB of each process and 60 ms of its start.
"""

import sys
from typing import Any

_modules: dict[str, Any] = sys.modules
_is_loaded = "rich" in _modules
if not _is_loaded:
    _modules["rich"] = None  # importing it fails

import structlog
from structlog.typing import FilteringBoundLogger, Processor

if not _is_loaded:
    del _modules["rich"]

log: FilteringBoundLogger = structlog.get_logger()

__all__ = ["Processor", "log", "structlog"]
