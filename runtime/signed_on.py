"""A user who is signed in in a browser, as data."""

from dataclasses import dataclass

from runtime.model.documents import DataDomainDocument
from runtime.principal import DomainContext


@dataclass(frozen=True, slots=True)
class SignedOn:
    """A browser in which a user is signed in, for all applications (single sign-on).

    ``ref_name``: of the stored record. ``auth_time``: when the user last entered a password, in seconds since
    1970. ``epoch``: that of the credential, whose data domain is ``domain``; ``place`` is what the user may
    see. ``is_beyond_tenant``: the user has the role ``system``, which is bound to no tenant, or may act
    in other realms. ``acts_as_others``: they may impersonate.
    """

    ref_name: str
    realm: str
    subject: str
    user_id: str
    epoch: int
    auth_time: float
    domain: DataDomainDocument
    place: DomainContext
    roles: frozenset[str]
    is_beyond_tenant: bool = False
    acts_as_others: bool = False
