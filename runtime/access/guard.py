"""The gate: token → ``Call``; call + record type + action → ``Access``. What is not allowed is refused.

Every entry point (HTTP, gateway, MCP) goes through it. ``allow`` is one of the two builders of ``Access``.
"""

from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from runtime.access.requirements import (
    RefusedQuestion,
    build_question,
    denied_by_rules,
    require_role,
    require_scope,
    require_tenant,
)
from runtime.access.variables import filter_variables
from runtime.admission import Turn, key_within
from runtime.call import Call, OpenAgain, Service
from runtime.errors import Denied, Unauthenticated
from runtime.filter import NOTHING, Moment, Predicate
from runtime.identity.realms.realm import choose_realm, not_open, roles_in
from runtime.logs import log
from runtime.model.record_type import RecordType
from runtime.permissions import decide, scope
from runtime.permissions.derived import withheld_fields
from runtime.permissions.token_scopes import find_missing_scope
from runtime.principal import SHARED, DomainContext, Identity, OnBehalfOf, Principal
from runtime.seams import RealmQuestion, UserKey
from runtime.storage.access import Access, Action, DocumentT

_ANONYMOUS = "anonymous"
_MOST_ACCESSES = 1024
_VERBS = {Action.VIEW: "view", Action.CREATE: "create", Action.UPDATE: "change", Action.DELETE: "delete"}


async def open_call(
    service: Service,
    token: str | None,
    realm_header: str | None,
    request_id: str,
    area: str,
    address: str = "",
    *,
    target: UserKey | None = None,
    on_behalf_of: OnBehalfOf | None = None,
    is_again: bool = False,
    is_late: bool = False,
    audience: str | None = None,
    open_again: OpenAgain | None = None,
    is_abandoned: Callable[[], Awaitable[bool]] | None = None,
) -> Call:
    """Open the call of the holder of ``token``, in the requested realm, acting as ``target`` if named.

    ``is_again``: the same request was opened before: nothing is logged again. ``audience``, ``is_late``: as
    ``SignIn.validate`` takes them. Raises ``Unauthenticated`` without a good token, ``Denied`` for a realm
    that is not open to the caller, a caller without a tenant, and a target as which it may not act.
    """
    holder = await require_caller(service, token, audience, is_late=is_late)
    try:
        identity = holder if target is None else await service.impersonation.find_identity(holder, target)
        realm = await choose_realm(RealmQuestion(realm_header, identity, area), service.seams.realm)
        database = await service.realms.find_database(realm)
        if database is None:
            raise not_open()
        principal = Principal(
            user_id=identity.user_id,
            subject=identity.subject,
            roles=roles_in(identity, realm),
            domain=identity.domain,
            scopes=holder.scopes,  # of the token, as whomever its holder acts
            client_scopes=holder.client_scopes,
            impersonator=None if target is None else holder,
            on_behalf_of=on_behalf_of,
        )
        require_tenant(principal)
    except Denied as error:
        error.decided = holder  # no call exists yet that could name the caller
        raise
    if target is not None and not is_again:
        _log_impersonation(principal, holder, request_id)
    rules = await service.rule_book.find_rules(database, principal.domain)
    sender = key_within(holder.home, f"{realm} {holder.subject}")  # as whomever it acts
    return Call(
        service, principal, realm, database, request_id, address, rules, Moment.of(service.tokens.clock()),
        turn=Turn(service.gate, sender), token=token, open_again=open_again, is_abandoned=is_abandoned,
    )  # fmt: skip


async def require_caller(
    service: Service, token: str | None, audience: str | None = None, *, is_late: bool = False
) -> Identity:
    """Return who holds a token for ``audience`` (default: the service). Raises ``Unauthenticated``."""
    if not token:
        raise Unauthenticated("send an access token: Authorization: Bearer …")
    return await service.provider.validate(token, audience, is_late=is_late)


def open_anonymous_call(service: Service, request_id: str, address: str = "") -> Call:
    """Open an unauthenticated call, for public routes: no roles, no tenant, the default realm."""
    realm = service.settings.default_realm
    principal = Principal(_ANONYMOUS, "", frozenset(), DomainContext(tenant_id="", default_realm=realm))
    sender = key_within(principal.user_id, address)  # a group of their own, however many addresses one has
    return Call(service, principal, realm, realm, request_id, address, turn=Turn(service.gate, sender))


def allow(call: Call, kind: RecordType[Any, DocumentT], action: Action) -> Access[DocumentT]:
    """Grant ``action`` on the records that scope and rules admit, without hidden fields.

    Raises ``Denied`` when the caller has none of the record type's roles, no rule can allow it, or the
    scopes of the token do not.
    """
    known: Access[Any] | None = call.accesses.get((kind, action))
    if known is None:
        known = remember(call, (kind, action), lambda: _build_access(call, kind, action))
        call.accesses[kind, action] = known
    return known


def find_access(call: Call, kind: RecordType[Any, DocumentT], action: Action) -> Access[DocumentT] | None:
    """Grant as ``allow`` does; return None where that raises ``Denied``."""
    with suppress(Denied):
        return allow(call, kind, action)
    return None


def allow_lookup(call: Call, kind: RecordType[Any, DocumentT]) -> Access[DocumentT]:
    """Grant finding the records that a write is about or refers to, withheld fields included.

    As ``allow`` for VIEW, except that a token for writing alone will do: never build an answer from it.
    Raises ``Denied``.
    """
    if call.principal.scopes is not None and may_write(call, kind):
        call = replace(call, principal=replace(call.principal, scopes=None))
    return allow(call, kind, Action.VIEW).to_decide()


def may_write(call: Call, kind: RecordType[Any]) -> bool:
    """Return whether the scopes of the token name writing in the area of a record type."""
    return find_missing_scope(call.principal.scopes, kind.area, Action.UPDATE) is None


def remember(call: Call, what: Hashable, work_out: Callable[[], Any]) -> Any:
    """Return what follows from the caller and the rules alone, from memory where it was worked out before."""
    principal, accesses = _require_known(call), call.rules.accesses
    own = principal.user_id, principal.roles, principal.domain, principal.scopes
    key = (*own, call.realm, call.database, what)
    if (found := accesses.get(key, accesses)) is accesses:  # it was not there; None may be
        found = work_out()
        if len(accesses) >= _MOST_ACCESSES:
            accesses.clear()
        accesses[key] = found
    return found


def _build_access(call: Call, kind: RecordType[Any], action: Action) -> Access:
    rules, own = _apply_rules(call, kind, action)
    require_scope(call.principal, _describe(call, kind, action))
    is_read = action is Action.VIEW
    withheld = withheld_fields(
        kind,
        own,
        call.service.catalog,
        lambda other: remember(call, (other, is_read), lambda: _find_hidden(call, other, is_read=is_read)),
    )
    return Access(
        kind=kind, action=action, database=call.database, rules=rules, hidden=kind.hidden | withheld,
        domain=call.principal.scope_on(kind.area, is_read=is_read),
    )  # fmt: skip


def _find_hidden(call: Call, kind: RecordType[Any], *, is_read: bool) -> frozenset[str] | None:
    """Return the fields that rules hide from a reader of a type; None where it may view no records of it.

    ``is_read`` is false for a write, which may look up what it refers to (``allow_lookup``).
    """
    with suppress(Denied):
        hidden = _apply_rules(call, kind, Action.VIEW)[1]
        if is_read or not may_write(call, kind):
            require_scope(call.principal, _describe(call, kind, Action.VIEW))
        return hidden
    return None


def _apply_rules(call: Call, kind: RecordType[Any], action: Action) -> tuple[Predicate, frozenset[str]]:
    """Return the records that the rules allow and the fields they hide, as named today; or ``Denied``."""
    refused = _describe(call, kind, action)
    require_role(call.principal, kind.roles, refused)
    applicable = call.rules.applicable(refused.question)
    rules = scope(applicable, kind, lambda: filter_variables(call, kind, action))
    if rules == NOTHING:
        raise denied_by_rules(refused, f"{_VERBS[action]} records of this type", applicable.decides_all)
    return rules, frozenset(map(kind.name_as_today, applicable.hidden))


def admit(call: Call, roles: Collection[str], *, area: str, domain: str, action: str) -> None:
    """Check a call of a hand-written endpoint: the roles, the permission rules, the scopes of the token.

    The caller needs one of ``roles`` (compared exactly) or ``system``; an empty ``roles`` admits any caller.
    Raises ``Unauthenticated`` for unauthenticated callers, ``Denied`` for others.
    """
    principal = _require_known(call)
    refused = RefusedQuestion(build_question(call, area=area, domain=domain, action=action))
    if roles:
        require_role(principal, roles, refused)
    if not (decision := decide(call.rules, refused.question)).allowed:
        raise denied_by_rules(refused, "do this", decision.rule is not None)
    require_scope(principal, refused)


def build_refusal(
    call: Call,
    kind: RecordType[Any],
    action: Action,
    document: Mapping[str, Any] | None = None,
    *,
    is_stored: bool = False,
) -> Denied:
    """Build the error for an ``action`` that rules do not allow on one record, stored or to be written."""
    refused = replace(_describe(call, kind, action), document=document, is_stored=is_stored)
    domain = document.get("dataDomain", {}) if is_stored and document is not None else {}
    if domain.get("orgRefName") == SHARED and not call.principal.scope.admits(domain):
        who = "only users bound to no organisation, account or data segment"
        return Denied(f"this {kind.shown_name} is shared: {who} may {_VERBS[action]} it", decided=refused)
    is_denial = document is not None and call.rules.applicable(refused.question).decides_all
    return denied_by_rules(refused, f"{_VERBS[action]} this record", is_denial)


def _describe(call: Call, kind: RecordType[Any], action: Action) -> RefusedQuestion:
    """Describe an action on the records of a type, for a refusal of it."""
    return RefusedQuestion(build_question(call, area=kind.area, domain=kind.domain, action=str(action)), kind)


def _log_impersonation(principal: Principal, holder: Identity, request_id: str) -> None:
    """Log one event per request: the audit trail of records has writes only."""
    log.info(
        "impersonation.used",
        user=principal.user_id, subject=principal.subject, by=holder.user_id, by_subject=holder.subject,
        realm=holder.realm, request_id=request_id,
    )  # fmt: skip


def _require_known(call: Call) -> Principal:
    """Return the authenticated principal; it must have a tenant."""
    if not call.principal.subject:
        raise Unauthenticated("send an access token: Authorization: Bearer …")
    require_tenant(call.principal)
    return call.principal
