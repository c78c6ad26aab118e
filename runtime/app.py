"""The composition root: the only place where parts meet. Flat, no container, no globals."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI

from runtime import logs
from runtime.access.granters import Granters
from runtime.access.impersonation import Impersonation
from runtime.access.rule_book import RuleBook
from runtime.access.rule_bounds import RuleBounds
from runtime.access.rule_check import RuleCheck
from runtime.admission import Gate, Transfers
from runtime.agents import check_tenant_rules
from runtime.call import Check, Effect, Service, Subjects
from runtime.completion.expiry import keep_expiring
from runtime.draining import ON_DRAIN, Draining
from runtime.explain.decisions import Decisions
from runtime.filter import parse_filter
from runtime.handler_loading import Handler, require_handlers
from runtime.http.application import Application
from runtime.http.client_address import TrustedProxies
from runtime.http.compression import Compressed
from runtime.http.cors import Cors
from runtime.http.dispatch import Dispatch, Router, RouteTable
from runtime.http.front import Front
from runtime.http.pages import add_pages
from runtime.http.problem_response import handle_problems
from runtime.identity.login.providers import Providers
from runtime.identity.login.watched import REVOCABLE_TYPES, SIGN_IN_TYPES, list_sign_in_caches
from runtime.identity.memory import Freshness
from runtime.identity.realms.realms import Realms, read_active_databases, read_realms
from runtime.identity.users.added_fields import require_added_fields
from runtime.mcp import McpDoor
from runtime.mcp_client import check_forwarding, open_remote_tools
from runtime.migrations import Keeper, run_keeper
from runtime.model.catalog import Catalog
from runtime.model.seed import Seed
from runtime.model.tool import Tool
from runtime.oauth.client_check import check_client
from runtime.oauth.client_effect import apply_client_effect
from runtime.oauth.client_source import open_clients
from runtime.oauth.pages import check_templates
from runtime.oauth.sign_on import SignOns
from runtime.oauth.well_known import fault_of_issuer
from runtime.observe import ON_REFUSAL, Observer, close_observer, open_observer
from runtime.ontology import open_ontology, select_tools
from runtime.outbox import Outbox, apply_webhook_effect, check_webhook, run_sender
from runtime.permissions import Rule
from runtime.quotas import open_quotas
from runtime.records.document.calculated import require_expressions
from runtime.records.joint_writes import JointWrites
from runtime.records.name_keeper import NameKeeper, run_name_keeper
from runtime.sampling import keep_metrics
from runtime.seam_loading import load_seams
from runtime.seams import Seams
from runtime.seeding import tenant_seeding
from runtime.settings import Settings
from runtime.sources import Databases
from runtime.storage.hub import open_hub
from runtime.storage.indexes import apply_indexes
from runtime.storage.opening import open_store
from runtime.storage.store import Store
from runtime.storage.unique_indexes import UniqueIndexes
from runtime.storage.watching import Watched, watch_changes
from runtime.stream import ON_STOP
from runtime.system.record_types import (
    CREDENTIAL,
    IMPORT_PROFILE,
    OAUTH_CLIENT,
    PERMISSION_RULE,
    REALM,
    RECORD_MIGRATION,
    RENAME,
    RESTORATION,
    WEBHOOK,
)
from runtime.tokens import Tokens
from runtime.transfer.profiles.profile_check import ProfileCheck
from runtime.transfer.sessions.liveness import Sweep, keep_sweeping

_FOLLOWED = (*SIGN_IN_TYPES, RECORD_MIGRATION, PERMISSION_RULE, REALM, RENAME, RESTORATION, WEBHOOK)
"""The record types that a process caches."""

_EFFECTS: Mapping[str, Effect] = {
    CREDENTIAL.name: require_added_fields,
    OAUTH_CLIENT.name: apply_client_effect,
    WEBHOOK.name: apply_webhook_effect,
}
"""What writes of record types do besides, by name."""


def create_app(
    catalog: Catalog,
    routers: Sequence[Router],
    *,
    document: Path,
    title: str = "Recordsmith",
    seeds: tuple[Seed, ...] = (),
    rules: tuple[Rule, ...] = (),
    subjects: Subjects = MappingProxyType({}),
    tools: tuple[Tool, ...] = (),
    handlers: tuple[Handler, ...] = (),
    settings: Settings | None = None,
    seams: Seams | None = None,
) -> FastAPI:
    """Create the service as an ASGI application. Raises ``Misconfigured`` for what can be checked now.

    ``rules`` are the permission rules of the specifications: without them everything is denied.
    ``subjects``: the endpoints, as rules name them (area, functional domain, action), and their roles.
    """
    settings = settings or Settings.read()
    logs.configure(settings)
    _check_parts(settings, tools, handlers)
    door, observer = McpDoor(title, settings), open_observer(settings, catalog, title)

    @asynccontextmanager
    async def run_lifespan(app: FastAPI) -> AsyncIterator[Mapping[str, Any]]:
        parse_filter("id:~")  # builds the parser, which the first request would hold up all others for
        async with (
            close_observer(observer),
            open_service(catalog, settings, seams, seeds, rules, subjects, tools, observer) as service,
        ):
            app.state.service, meters = service, None if observer is None else observer.meters
            if fault := fault_of_issuer(settings.token_issuer, settings.base_url):
                logs.log.warning("issuer.not_discoverable", issuer=settings.token_issuer, reason=fault)
            async with logs.write_at_end(), door.run(), run_sender(service), keep_metrics(service):
                counting = {} if meters is None else {ON_REFUSAL: meters.count_server_refusal}
                yield {ON_STOP: service.hub.stop, ON_DRAIN: service.draining.begin, **counting}

    app = Application(document, title=title, lifespan=run_lifespan)
    app.router.routes[:0] = door.routes
    add_pages(app, document, title=title, root_path=settings.root_path, documentation=settings.documentation)
    handle_problems(app)
    app.add_middleware(Dispatch, outer=app, table=RouteTable(routers))
    if settings.compression == "gzip":
        app.add_middleware(Compressed)
    app.add_middleware(
        Front,
        root_path=settings.root_path,
        proxies=TrustedProxies(settings.trusted_networks),
        is_https=settings.is_https,
        observer=observer,
    )
    app.add_middleware(Cors, origins=settings.origins, root_path=settings.root_path)
    return app


def _check_parts(settings: Settings, tools: tuple[Tool, ...], handlers: tuple[Handler, ...]) -> None:
    require_handlers(handlers)
    check_tenant_rules(settings, [tool.name for tool in tools])
    check_forwarding(settings)


@asynccontextmanager
async def open_service(
    catalog: Catalog,
    settings: Settings,
    seams: Seams | None = None,
    seeds: tuple[Seed, ...] = (),
    rules: tuple[Rule, ...] = (),
    subjects: Subjects = MappingProxyType({}),
    tools: tuple[Tool, ...] = (),
    observer: Observer | None = None,
    *,
    is_command: bool = False,
) -> AsyncIterator[Service]:
    """Open a service without HTTP, for the application and for commands; closes the store at the end.

    ``is_command``: it begins migrations only of what it writes, and reads keys only to sign.

    Raises ``Misconfigured`` when no store is named or keys are missing, ``StoreUnavailable`` when the store
    does not answer while indexes are created.
    """
    meters = watch = is_traced = None
    if observer is not None:
        meters, watch, is_traced = observer.meters, observer.watch_command, observer.is_traced
    async with open_store(settings, watch, is_traced) as store:
        seams = _check_seams(catalog, seams or load_seams(settings.seams))
        tokens = Tokens(settings)
        refreshing = nullcontext() if is_command else tokens.ring.keep_refreshing()
        await _create_indexes(store, catalog, settings)
        active = partial(read_active_databases, store, settings.default_realm)
        everywhere = partial(_list_databases, store, settings)
        unique, clock = _guard_writes(store, catalog, settings, active), tokens.clock
        following = store.follow(_FOLLOWED, revocable=REVOCABLE_TYPES)
        freshness = Freshness(settings.credential_cache_seconds, clock, following.silence)
        realms = Realms(store, settings.default_realm, freshness)
        provider = Providers(
            store, tokens, settings, realms, seams.auth_providers, catalog.roles, following.silence, meters
        )
        granters = Granters(store, realms, provider, default_realm=settings.default_realm)
        impersonation = Impersonation(store, realms, granters, freshness)
        rule_book = RuleBook(store, rules, settings.rule_cache_seconds, clock)
        names = NameKeeper(store, catalog, seams.expressions, active)
        outbox = Outbox(store, catalog, settings, freshness)
        keepers, edges = open_ontology(catalog, settings)
        offered = select_tools(tools, edges)
        migrations = Keeper(store, catalog, settings.default_realm, active, is_command=is_command)
        store.check_before_changing(
            migrations.join_after(realms.require_open) if is_command else realms.require_open
        )
        watched = (
            *_list_watched(provider, impersonation, rule_book, realms, names, outbox),
            (RECORD_MIGRATION, migrations.heed),
        )
        async with (
            run_keeper(migrations),
            refreshing,
            watch_changes(following, watched, enabled=settings.change_streams) as watcher,
            keep_sweeping(
                Sweep(store, everywhere, settings.import_lease_seconds), settings.import_lease_seconds
            ),
            run_name_keeper(names, watcher),
            keep_expiring(store, everywhere, settings.keep_groups_seconds),
            open_remote_tools(settings) as remotes,
            open_hub(store, settings.watchers, settings.watchers_per_user) as hub,
        ):
            yield Service(
                settings, catalog, store, tokens, provider,
                open_clients(store, provider, tokens, settings, realms, catalog, subjects),
                SignOns(store, provider, realms, settings, clock), hub, rule_book=rule_book, realms=realms,
                impersonation=impersonation, seams=seams, seeds=seeds, watcher=watcher, names=names,
                migrations=migrations,
                checks=_checks(catalog, seams, subjects), effects=_EFFECTS,
                companions=(RuleBounds(), rule_book, outbox, *keepers),
                plant_new_tenant=tenant_seeding(settings), unique_indexes=unique, outbox=outbox,
                decisions=Decisions(store, realms, settings.decision_seconds, clock), subjects=subjects,
                gate=Gate("requests", store.limit, settings.queue_ms / 1000), remotes=remotes, edges=edges,
                transfers=Transfers(settings.transfers, settings.transfers_per_user), tools=offered,
                meters=meters, quotas=open_quotas(store, settings, clock, meters),
                draining=Draining(settings.drain_seconds), joint_writes=JointWrites(),
            )  # fmt: skip


async def _create_indexes(store: Store, catalog: Catalog, settings: Settings) -> None:
    """Create what is missing in all active realms, in development only."""
    if settings.environment == "development":
        for database in await read_active_databases(store, settings.default_realm):
            await apply_indexes(store, database, catalog)


def _check_seams(catalog: Catalog, seams: Seams) -> Seams:
    """Raise ``Misconfigured`` for parts of the application that are missing or cannot be used."""
    require_expressions(catalog, seams.expressions)
    if seams.page_templates is not None:
        check_templates(seams.page_templates)
    return seams


def _guard_writes(
    store: Store, catalog: Catalog, settings: Settings, databases: Databases
) -> UniqueIndexes | None:
    """Refuse writes without unique indexes, where nobody has just created them."""
    if settings.environment == "development":
        return None
    unique = UniqueIndexes(store, catalog, databases)
    store.check_before_writing(unique.require)
    store.check_before_searching(unique.require_text)
    return unique


async def _list_databases(store: Store, settings: Settings) -> list[str]:
    return [realm.database for realm in await read_realms(store, settings.default_realm)]


def _checks(catalog: Catalog, seams: Seams, subjects: Subjects) -> dict[str, Check]:
    """Return the checks that record types make of their own records, before they are stored."""
    return {
        PERMISSION_RULE.name: RuleCheck(catalog, subjects),
        IMPORT_PROFILE.name: ProfileCheck(catalog, seams.row_value_resolvers),
        OAUTH_CLIENT.name: check_client,
        WEBHOOK.name: check_webhook,
    }


def _list_watched(
    provider: Providers, impersonation: Impersonation, rule_book: RuleBook, realms: Realms,
    names: NameKeeper, outbox: Outbox,
) -> Watched:  # fmt: skip
    """Pair record types with the caches to drop when another process changes them."""
    return (
        *list_sign_in_caches(provider.own),
        (CREDENTIAL, impersonation.forget),
        (PERMISSION_RULE, rule_book.forget),
        (REALM, realms.forget),
        (REALM, impersonation.forget),
        (RENAME, names.heed),
        (RESTORATION, realms.forget),
        (WEBHOOK, outbox.forget),
    )
