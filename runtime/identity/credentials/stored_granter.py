"""Who granted an impersonation, as a credential stores it (``impersonationGranter``)."""

from collections.abc import Mapping

from runtime.principal import Granter
from runtime.system.documents import CredentialDocument


def granter_of(credential: CredentialDocument) -> Granter | None:
    """Read the granter. None where there is none or it cannot be read: such a grant carries nothing."""
    stored = credential.get("impersonationGranter")
    if not isinstance(stored, Mapping):
        return None
    subject, realm, roles = stored.get("subject"), stored.get("realm"), stored.get("roles")
    is_operator = stored.get("operator") is True
    if subject is None and is_operator:
        return Granter.operator()
    if not (isinstance(subject, str) and isinstance(realm, str) and isinstance(roles, list)):
        return None
    return Granter(subject, realm, frozenset(map(str, roles)), is_operator)


def granted_by(granter: Granter | None) -> CredentialDocument:
    """Build the member of a credential that names its granter; None grants nothing."""
    if granter is None or granter.subject is None:
        return {"impersonationGranter": {"operator": granter is not None and granter.is_operator}}
    return {
        "impersonationGranter": {
            "subject": granter.subject,
            "realm": granter.realm,
            "roles": sorted(granter.roles),
            "operator": granter.is_operator,
        }
    }
