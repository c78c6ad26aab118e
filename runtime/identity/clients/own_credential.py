"""The credential of a client: whose rights the tokens have that a client gets for itself."""

from typing import Final

from runtime.filter import EVERYTHING, NOTHING, Predicate, any_of, equals, in_tenant, lacks
from runtime.identity.credentials.credentials import login_name_of
from runtime.model.documents import tenant_of
from runtime.storage.as_service import as_service
from runtime.storage.store import AnyStore
from runtime.system.documents import CredentialDocument, OauthClientDocument
from runtime.system.record_types import CREDENTIAL

_TENANT: Final = "dataDomain.tenantId"


async def find_own_credential(
    store: AnyStore, database: str, client: OauthClientDocument
) -> CredentialDocument | None:
    """Return the credential of a stored client; None if it has none."""
    match = match_own_credential(client)
    return None if match is NOTHING else await store.find_one(as_service(CREDENTIAL, database), match)


def match_own_credential(client: OauthClientDocument) -> Predicate:
    """Match the credential of a stored client.

    It is the one that was created with the client (``subject``). Where none was, it is one of the type OAUTH
    whose user id is the client id, exactly. Either belongs to the tenant of the client: who may write the
    client is decided there. What an operator has put into the store may lack a data domain.
    """
    subject, login_name = client.get("subject"), login_name_of(client["clientId"])
    if "dataDomain" in client:
        tenant = tenant_of(client)
        acts, belongs = equals(**{"domainContext.tenantId": tenant}), in_tenant(tenant)
    else:
        acts = belongs = EVERYTHING
    if subject is not None:
        return acts & belongs & equals(subject=subject)
    if login_name is None:
        return NOTHING
    own = equals(userId=client["clientId"], credentialType="OAUTH")
    return acts & own & any_of([belongs & equals(loginName=login_name), lacks(_TENANT)])
