"""The most common passwords, which guessing begins with: from the frequency lists of the package zxcvbn."""

import asyncio
import runpy
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from runtime.errors import Misconfigured

MOST_COMMON = 10_000


async def check_common(password: str) -> bool:
    """Whether it is among the 10,000 most common; without case."""
    return password.casefold() in await asyncio.to_thread(_load_passwords)


@lru_cache(maxsize=1)
def _load_passwords() -> frozenset[str]:
    # Importing the package would build all its dictionaries and keep them; this runs the one file of its
    # lists, in a twentieth of a second, and keeps what is needed.
    package = find_spec("zxcvbn")
    if package is None or package.origin is None:
        raise Misconfigured("the package zxcvbn is not installed: new passwords cannot be checked")
    lists = runpy.run_path(str(Path(package.origin).with_name("frequency_lists.py")))["FREQUENCY_LISTS"]
    return frozenset(word.casefold() for word in lists["passwords"][:MOST_COMMON])
