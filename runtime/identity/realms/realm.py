"""The realm in which a call acts, and the caller's roles there.

``X-Realm`` if given, else the area override of the credential, else its default realm; an application
may answer first (``seams.realm``). In every case a realm other than the default must be listed on the
credential or match its ``realmRegEx``, else 403.
"""

from runtime.call import Service
from runtime.errors import Denied, NotFound
from runtime.linear_patterns import compile_pattern
from runtime.model.realm_name import is_realm_name
from runtime.principal import Identity
from runtime.seams import RealmQuestion, RealmResolver

_MOST_PATTERN_CHARACTERS = 200


async def choose_realm(question: RealmQuestion, resolver: RealmResolver | None) -> str:
    """Choose the realm of a call. Raises the same ``Denied`` for unknown, malformed and forbidden realms."""
    identity = question.identity
    named = await resolver.choose_realm(question) if resolver else None
    if named is None:
        named = question.header
    if named is None:
        named = identity.area_realms.get(question.area, identity.domain.default_realm)
    if not is_realm_name(named) or not may_act_in(identity, named):
        raise not_open()
    return named


async def require_realm(service: Service, realm: str) -> str:
    """Return the database of a realm. Raises ``NotFound`` for one that is unknown or not active."""
    database = await service.realms.find_database(realm)
    if database is None:
        raise NotFound(f"the realm {realm} does not exist")
    return database


def not_open() -> Denied:
    """Build the one answer for a realm that is unknown, inactive, malformed or forbidden."""
    return Denied("you may not act in this realm: name no realm to use your own")


def may_act_in(identity: Identity, realm: str) -> bool:
    """Whether the credential opens ``realm``."""
    return (
        realm == identity.domain.default_realm
        or realm in identity.realms
        or (identity.realm_reg_ex is not None and _matches(identity.realm_reg_ex, realm))
    )


def fault_of_pattern(pattern: str) -> str | None:
    """Describe why a ``realmRegEx`` cannot be parsed; None if it can."""
    if not 0 < len(pattern) <= _MOST_PATTERN_CHARACTERS:
        return f"must be 1 to {_MOST_PATTERN_CHARACTERS} characters"
    try:
        compile_pattern(pattern)
    except ValueError:
        return "is not a regular expression; lookaround and backreferences are not supported"
    return None


def roles_in(identity: Identity, realm: str) -> frozenset[str]:
    """Return the caller's roles there: at home those of the credential, elsewhere only the granted ones."""
    if realm == identity.domain.default_realm:
        return identity.roles
    return identity.realm_roles.get(realm, frozenset())


def _matches(pattern: str, realm: str) -> bool:
    """Whether a pattern matches; one that cannot be read opens nothing."""
    if len(pattern) > _MOST_PATTERN_CHARACTERS:
        return False
    try:
        return compile_pattern(pattern).fullmatch(realm) is not None
    except ValueError:
        return False
