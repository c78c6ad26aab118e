"""structlog as it is used here: without rich and greenlet.

structlog loads rich where it is installed, for tracebacks that show local variables, and with them tokens
and passwords. These are never written, and with what it needs for them rich takes 4 MB of each process and
60 ms of its start; greenlet takes one more. A command that prints by rich has loaded a part of it before.
"""

import sys
from typing import Any

_modules: dict[str, Any] = sys.modules
_HIDDEN = ("rich", "greenlet")
_loaded = {name: _modules[name] for name in _HIDDEN if name in _modules}
_modules.update(dict.fromkeys(_HIDDEN))  # importing them fails

import structlog
from structlog.typing import FilteringBoundLogger, Processor

for _name in _HIDDEN:
    del _modules[_name]
_modules.update(_loaded)

log: FilteringBoundLogger = structlog.get_logger()

__all__ = ["Processor", "log", "structlog"]
