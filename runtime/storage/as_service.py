"""Access without a caller, for the modules that a linter contract lists by name.

The service acts for itself here: looking up a credential before anybody is signed in, keeping
refresh families, checking references. It sees hidden fields, since it must read password hashes.
"""

from typing import Any

from runtime.model.record_type import RecordType
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action, DocumentT

_ANY_TENANT = DomainScope()


def as_service(
    kind: RecordType[Any, DocumentT],
    database: str,
    action: Action = Action.VIEW,
    domain: DomainScope = _ANY_TENANT,
) -> Access[DocumentT]:
    """Return access for the service itself in one database, narrowed to ``domain`` if a tenant is known."""
    return Access(kind=kind, action=action, database=database, domain=domain)
