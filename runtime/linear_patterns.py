"""Regular expressions of users and other servers, compiled by RE2: its time is linear in the text.

RE2 takes 2 MB of a process, so it is loaded with the first of them.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any, Final

_MOST_BYTES: Final = 2**20


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any:
    """Compile a pattern. Raises ``ValueError`` with the reason for one that cannot be used."""
    re2: Any = import_module("re2")
    options = re2.Options()
    options.max_mem, options.log_errors = _MOST_BYTES, False
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise ValueError("is not Unicode text") from None
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace")) from None
