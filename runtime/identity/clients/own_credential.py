"""The credential of a client: whose rights the tokens have that a client gets for itself."""

from runtime.filter import NOTHING, Predicate, equals, has_any, lacks
from runtime.identity.credentials.credentials import login_name_of
from runtime.model.documents import tenant_of
from runtime.storage.as_service import as_service
from runtime.storage.store import AnyStore
from runtime.system.documents import CredentialDocument, OauthClientDocument
from runtime.system.record_types import CREDENTIAL


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
    client is decided there. A client that an operator has put into the store without a data domain belongs to
    no tenant, and nor does its credential: no tenant can put one in its place.
    """
    subject, login_name = client.get("subject"), login_name_of(client["clientId"])
    by_id = equals(userId=client["clientId"], credentialType="OAUTH") & has_any(["subject"])
    if "dataDomain" not in client:
        return lacks("dataDomain.tenantId") & (by_id if subject is None else equals(subject=subject))
    tenant = equals(**{"domainContext.tenantId": tenant_of(client), "dataDomain.tenantId": tenant_of(client)})
    if subject is not None:
        return tenant & equals(subject=subject)
    return NOTHING if login_name is None else tenant & by_id & equals(loginName=login_name)
