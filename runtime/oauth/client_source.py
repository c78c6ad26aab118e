"""How clients sign in: those that are registered, and those that documents describe."""

from runtime.call import Subjects
from runtime.identity.login.client_sign_in import ClientSignIn
from runtime.identity.login.providers import Providers
from runtime.identity.login.registrations import Registrations
from runtime.identity.realms.realms import Realms
from runtime.model.catalog import Catalog
from runtime.oauth.client_documents import ClientDocuments
from runtime.permissions.token_scopes import known_scopes
from runtime.settings import Settings
from runtime.storage.store import Store
from runtime.tokens import Tokens


def open_clients(
    store: Store,
    provider: Providers,
    tokens: Tokens,
    settings: Settings,
    realms: Realms,
    catalog: Catalog,
    subjects: Subjects,
) -> ClientSignIn:
    """Return how clients sign in. Documents describe further ones if a setting names hosts of documents."""
    if hosts := settings.document_hosts:
        scopes = known_scopes({kind.area for kind in catalog} | {area for area, *_ in subjects})
        provider.own.clients.documents = ClientDocuments(realms, hosts, scopes, tokens.clock)
    return ClientSignIn(provider, tokens, settings, Registrations(store, settings, tokens.clock))
