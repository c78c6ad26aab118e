"""Owners of webhooks: with whose rights notifications are built, and who may change what they are sent for.

The owner is the caller that created the webhook, for good. Notifications contain what the owner may view, so
a caller that changes a webhook must have all the rights of its owner. That it became the owner itself would
be worse: somebody with fewer rights would name an address, and wait for an administrator to correct a word.

A webhook outlasts the token by which it is written. So the token must not be narrowed to scopes, and the
caller must not act as another user: either would go on after it was taken back.
"""

from runtime.call import Call, Service
from runtime.errors import Denied
from runtime.filter import Moment
from runtime.identity.realms.realm import may_act_in, roles_in
from runtime.identity.users.user_target import read_rights
from runtime.principal import Identity, Principal
from runtime.system.documents import WebhookDocument


async def find_owner(service: Service, webhook: WebhookDocument) -> Identity | None:
    """Return the owner of a webhook, at most a second old; None for one that cannot sign in any more."""
    subject, realm = webhook.get("ownerSubject"), webhook.get("ownerRealm")
    if not isinstance(subject, str) or not isinstance(realm, str):
        return None
    standing = await service.clients.find_standing(realm, subject)
    return None if standing is None else standing.identity


async def open_owners_call(
    service: Service, webhook: WebhookDocument, realm: str, database: str
) -> Call | None:
    """Open a call with the rights that the owner of a webhook has now; None if it may not call at all.

    Raises ``StoreUnavailable``.
    """
    owner = await find_owner(service, webhook)
    if owner is None or not owner.domain.tenant_id or not may_act_in(owner, realm):
        return None
    principal = Principal(owner.user_id, owner.subject, roles_in(owner, realm), owner.domain)
    rules = await service.rule_book.find_rules(database, principal.domain)
    moment = Moment.of(service.tokens.clock())
    return Call(service, principal, realm, database, f"webhook {webhook['_id']}", rules=rules, moment=moment)


def require_lasting(call: Call) -> None:
    """Raise ``Denied`` for a caller whose rights are lent: a webhook would keep them."""
    if call.principal.impersonator is not None:
        raise Denied("a webhook lasts longer than acting as another user: its owner must do this")
    if call.principal.scopes is not None:
        raise Denied("a webhook lasts longer than a token: send one that is not narrowed to scopes")


async def require_covered(call: Call, webhook: WebhookDocument) -> None:
    """Raise ``Denied`` for a webhook whose owner may do more than the caller."""
    caller = call.principal
    own = (caller.subject, caller.domain.default_realm)
    if own == (webhook.get("ownerSubject"), webhook.get("ownerRealm")):
        return
    owner = await find_owner(call.service, webhook)
    if owner is None:
        raise Denied("the owner of this webhook cannot sign in, so it can only be deleted: create another")
    if not (await read_rights(call)).covers(owner, None):
        raise Denied("the owner of this webhook may do more than you: the owner or system must do this")
