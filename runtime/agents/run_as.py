"""Tools that run as another user: the operator names the user, the application resolves it.

What the application returns is believed only as far as the stored, active credential of that user goes, in
the caller's own tenant; a resolver that returns more is refused. The audit of what is written names both
users, as it does for a user who acts as another.
"""

from dataclasses import replace

from runtime.agents.tenant_rules import find_tenant_rule
from runtime.call import Call, Service
from runtime.errors import Denied, InvalidParameter
from runtime.filter import NOTHING, equals
from runtime.identity.credentials.credentials import identity_of, is_usable, login_name_of
from runtime.identity.realms.realm import roles_in
from runtime.logs import log
from runtime.principal import SYSTEM, DomainScope, Identity, Principal, domain_members
from runtime.settings import AGENT_TENANT
from runtime.storage.as_service import as_service
from runtime.system.record_types import CREDENTIAL


async def act_as_configured(call: Call) -> Call:
    """Return the call as the user as whom tools run in its realm; the same call where there is none.

    Raises ``Denied`` for a user that has fewer rights than the application says, and ``InvalidParameter``
    with an idempotency key, whose answer is kept for the rights of the caller.
    """
    user_id = find_tenant_rule(call.service.settings, call.realm).run_as
    resolver = call.service.seams.run_as
    if user_id is None or resolver is None:
        return call
    found = await resolver.find_principal(call.realm, user_id)
    if found is None:
        return call
    if call.receipt is not None:
        message = "tools run as another user here, so their answers cannot be stored for an Idempotency-Key"
        raise InvalidParameter(message, parameter="Idempotency-Key")
    stored = await _find_identity(call, user_id)
    if stored is None or not _covers(call, stored, found):
        log.warning("tools.run_as", user=user_id, realm=call.realm, by_subject=call.principal.subject)
        raise Denied("the user as whom tools run here does not have the rights for that")
    return await _become(call, found)


def list_unresolved_users(service: Service) -> list[str]:
    """Describe the settings that name a user as whom tools run, where no seam of ``service`` resolves one.

    A command does not know the seams that the application factory passes.
    """
    if service.seams.run_as is not None:
        return []
    without = "service.seams has no run_as; unless service.app passes one, tools run as their callers"
    return [
        f"{AGENT_TENANT.prefix}{realm}.runAsUserId: {without}"
        for realm in service.settings.agent_tenants
        if find_tenant_rule(service.settings, realm).run_as
    ]


async def _find_identity(call: Call, user_id: str) -> Identity | None:
    login_name = login_name_of(user_id)
    match = NOTHING if login_name is None else equals(loginName=login_name)
    tenant = DomainScope(tenant_id=call.principal.domain.tenant_id)
    access = as_service(CREDENTIAL, call.database, domain=tenant)
    credential = await call.service.store.find_one(access, match)
    if credential is None or not is_usable(credential):
        return None
    return identity_of(credential, call.realm)


def _covers(call: Call, stored: Identity, found: Principal) -> bool:
    """Whether a principal is that user, in the caller's tenant, with no more than the user has here."""
    is_same = (found.user_id, found.subject) == (stored.user_id, stored.subject)
    own = Principal(stored.user_id, stored.subject, roles_in(stored, call.realm), stored.domain)
    if not is_same or SYSTEM in own.roles or not found.roles <= own.roles:
        return False
    is_here = found.domain.tenant_id == stored.domain.tenant_id == call.principal.domain.tenant_id
    return is_here and own.scope.admits(domain_members(found.domain))


async def _become(call: Call, found: Principal) -> Call:
    caller = call.principal
    holder = caller.impersonator or Identity(
        caller.user_id, caller.subject, call.realm, caller.roles, caller.domain
    )
    acting = Principal(
        user_id=found.user_id,
        subject=found.subject,
        roles=found.roles,
        domain=found.domain,
        impersonator=holder,
        on_behalf_of=caller.on_behalf_of,
        scopes=caller.scopes,  # of the token, as whomever its holder acts
        client_scopes=caller.client_scopes,
    )
    rules = await call.service.rule_book.find_rules(call.database, acting.domain)
    open_again = call.open_again

    async def open_acting(realm: str | None = None, /, *, is_late: bool = False) -> Call:
        if open_again is None:
            raise Denied("this call cannot be opened again")
        return await act_as_configured(await open_again(realm, is_late=is_late))

    return replace(call, principal=acting, rules=rules, open_again=open_acting)
