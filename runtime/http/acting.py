"""The headers that name another user, to act as or to act for; that of an agent is read the same way.

Values are UTF-8, 1 to 200 printable characters; each header may appear once.
"""

from collections.abc import Iterable, Mapping

from runtime.contract.headers import MOST_USER
from runtime.errors import InvalidParameter
from runtime.principal import OnBehalfOf
from runtime.seams import UserKey

_AS_SUBJECT, _AS_USER_ID = "x-impersonate-subject", "x-impersonate-userid"
_FOR_SUBJECT, _FOR_USER_ID = "x-acting-on-behalf-of-subject", "x-acting-on-behalf-of-userid"
_KNOWN = {name.encode(): name for name in (_AS_SUBJECT, _AS_USER_ID, _FOR_SUBJECT, _FOR_USER_ID)}


def read_named_users(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the values of such headers by lower-case name. Raises ``InvalidParameter``."""
    found: dict[str, str] = {}
    for raw_name, raw in headers:
        name = _KNOWN.get(raw_name)
        if name is None:
            continue
        if name in found:
            raise InvalidParameter(f"the header {name} came more than once; send it once", parameter=name)
        found[name] = read_name(name, raw)
    return found


def find_target(named: Mapping[str, str]) -> UserKey | None:
    """Return the user to act as. Raises ``InvalidParameter`` when two headers name one."""
    subject, user_id = named.get(_AS_SUBJECT), named.get(_AS_USER_ID)
    if subject is not None and user_id is not None:
        raise InvalidParameter(f"send {_AS_SUBJECT} or {_AS_USER_ID}, not both", parameter=_AS_SUBJECT)
    return None if subject is None and user_id is None else UserKey(user_id, subject)


def on_behalf_of(named: Mapping[str, str]) -> OnBehalfOf | None:
    """Return the user on whose behalf the caller acts, named by one header or both."""
    subject, user_id = named.get(_FOR_SUBJECT), named.get(_FOR_USER_ID)
    return None if subject is None and user_id is None else OnBehalfOf(user_id, subject)


def read_name(name: str, raw: bytes) -> str:
    """Read the value of such a header. Raises ``InvalidParameter``."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if not 0 < len(text) <= MOST_USER or not text.isprintable() or text != text.strip():
        message = f"the header {name} must be 1 to {MOST_USER} printable characters in UTF-8"
        raise InvalidParameter(message, parameter=name)
    return text
