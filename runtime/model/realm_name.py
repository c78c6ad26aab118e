"""What realms may be called: the name of a realm is that of its database, unless another is given."""

import re
from typing import Final

REALM_PATTERN: Final = r"[a-z][a-z0-9_-]{0,37}"
REALM_RULE: Final = "must be 1 to 38 of a-z, 0-9, - and _, a letter first, and no database of MongoDB's own"

_NAME = re.compile(REALM_PATTERN)
_NEVER = frozenset({"admin", "local", "config"})
"""MongoDB's own databases."""


def is_realm_name(name: str) -> bool:
    """Whether a realm may be called so: it becomes the name of a database."""
    return _NAME.fullmatch(name) is not None and name not in _NEVER
