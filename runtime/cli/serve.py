"""``recordsmith serve``: the service, its workers and, where no other is named, its MongoDB.

Order of things: hold the data folder, take the port, have a store, open the service once (so that what
is set up wrong is said here and not by each worker), then hand over to uvicorn. Workers read the same
settings from the environment. At the end requests in flight are finished first, MongoDB stops last.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from ipaddress import ip_address
from types import FrameType
from typing import Annotated

import typer
import uvicorn
from rich.console import Console

from runtime import logs
from runtime.agents import list_unresolved_users, list_useless_rules
from runtime.cli.command_name import spell_command
from runtime.cli.demo import DemoUser, seed_demo
from runtime.cli.lock import hold_data_folder
from runtime.cli.metrics import offer_metrics
from runtime.cli.opening import (
    DataFolder,
    check_handlers,
    fill_unset,
    open_service,
    prepare_demo,
    read_settings,
    with_store,
)
from runtime.cli.output import AsJson, CommandFailed, report
from runtime.cli.protocol import PROTOCOL
from runtime.cli.reload import serve_reloading
from runtime.cli.server import Server
from runtime.cli.worker import FACTORY
from runtime.cli.workers import Workers
from runtime.errors import Misconfigured
from runtime.identity.realms.realms import read_realms
from runtime.settings import Settings, environment_name, find_misspelt
from runtime.tokens import Keys

_GRACE_SECONDS = 20
_BACKLOG = 2048

# A hangup replaces the workers of a parent that has several; a process that serves alone ends in good order.
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8080,
    data: DataFolder = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of worker processes.")] = 1,
    reload: Annotated[
        bool, typer.Option("--reload", help="Regenerate and restart when specs/ or code change.")
    ] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Create two demo tenants with an admin each.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the service, with an embedded MongoDB unless MONGODB_URI names another."""
    if reload and workers > 1:
        raise typer.BadParameter("--reload runs one worker: leave --workers out")
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        stop, settings = _Stop(), read_settings(data)
        logs.configure(settings)
        has_store = settings.mongodb_uri is not None
        for name, near in find_misspelt(os.environ, has_store=has_store).items():
            logs.log.warning("settings.unknown", variable=name, advice=f"rename it to {near}, or unset it")
        listener = stack.enter_context(_open_listener(host, port))
        url, is_everywhere = _find_url(host, listener)
        settings = prepare_demo(settings) if demo else settings
        settings = _name_address(settings, url, is_everywhere=is_everywhere)
        stack.enter_context(hold_data_folder(settings, url))
        check_handlers(settings)
        settings = stack.enter_context(with_store(settings, revive=True))
        metrics = stack.enter_context(offer_metrics(settings))
        users = asyncio.run(_prepare(settings, demo))  # last, so that a password is shown once it exists
        os.environ.update(_for_workers(settings))
        run = _build_server(settings, listener, workers, reload=reload)
        if not stop.asked:
            _announce(settings, url, metrics, users, as_json)
            stack.callback(_ignore_signals)
            run()


def _find_url(host: str, listener: socket.socket) -> tuple[str, bool]:
    """Return an address that can be opened on this machine, and whether the listener has all of them."""
    bound, port = listener.getsockname()[:2]
    address = ip_address(bound)
    if not address.is_unspecified:
        return _url(host, port), False
    return _url("127.0.0.1" if address.version == 4 else "::1", port), True


def _name_address(settings: Settings, url: str, *, is_everywhere: bool) -> Settings:
    """Return the settings with the address that tokens and documents name, unless it is set.

    Raises ``Misconfigured`` in production with a store of its own, if the service listens on every address:
    none of them is known to be one that callers can use, and it would be the issuer of every token.
    """
    in_production = settings.environment == "production" and settings.mongodb_uri is not None
    if is_everywhere and in_production and "base_url" not in settings.model_fields_set:
        raise Misconfigured(
            "service.base-url is not set, and the service listens on every address: "
            "set SERVICE_BASE_URL to the address that callers use, such as https://records.example.com"
        )
    return fill_unset(settings, base_url=url)


async def _prepare(settings: Settings, demo: bool) -> list[DemoUser]:
    """Open the service once: keys, indexes, seeds. Raises what a worker would."""
    Keys.from_settings(settings)
    async with open_service(settings) as service:
        await service.store.ping()
        realms = [one.name for one in await read_realms(service.store, settings.default_realm)]
        for found in list_useless_rules(settings, realms):
            logs.log.warning("settings.no_realm", advice=found)
        for found in list_unresolved_users(service):
            logs.log.warning("settings.no_resolver", advice=found)
        return await seed_demo(service) if demo else []


def _build_server(
    settings: Settings, listener: socket.socket, workers: int, *, reload: bool
) -> Callable[[], None]:
    """Prepare uvicorn. From here on it handles signals, and lets requests in flight finish."""
    config = uvicorn.Config(
        FACTORY,
        factory=True,
        http=PROTOCOL,
        ws="none",
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.idle_seconds,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    if reload:
        return lambda: serve_reloading(config, listener)
    if workers > 1:
        return Workers(config, sockets=[listener]).run
    server = Server(config)
    for number in _ENDING:
        signal.signal(number, server.handle_exit)
    return lambda: _run_alone(server, listener)


def _run_alone(server: uvicorn.Server, listener: socket.socket) -> None:
    try:
        server.run(sockets=[listener])
    except SystemExit as end:
        if not server.should_exit:
            raise CommandFailed("service.fault", "the service did not start; see its log") from end


class _Stop:
    """Until uvicorn takes over, SIGTERM, SIGHUP and Ctrl-C raise ``KeyboardInterrupt``.

    ``asked`` records one that arrived where Python cannot raise it, such as in a finalizer.
    """

    def __init__(self) -> None:
        self.asked = False
        for number in _ENDING:
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        raise KeyboardInterrupt


def _ignore_signals() -> None:
    """Ignore signals from here on: a second Ctrl-C must not prevent MongoDB from stopping."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


def _open_listener(host: str, port: int) -> socket.socket:
    """Open the socket that all workers share; connections wait in it from now on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()  # :: is every address, IPv4 too
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG, dualstack_ipv6=is_dual)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]
        message = f"cannot listen on {host} port {port} ({reason}): choose another with --host or --port"
        raise CommandFailed("service.port", message) from error


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _for_workers(settings: Settings) -> dict[str, str]:
    """Return the environment variables that workers need in addition to the current ones."""
    given = {
        "mongodb.uri": settings.mongodb_uri.get_secret_value() if settings.mongodb_uri else "",
        "service.data-folder": str(settings.data_folder.absolute()),
        "service.environment": settings.environment,
        "service.base-url": settings.base_url,
        "feature.queryGateway.execution.enabled": str(settings.gateway_executes).lower(),
    }
    return {environment_name(name): value for name, value in given.items()}


def _announce(
    settings: Settings, url: str, metrics: str | None, users: list[DemoUser], as_json: bool
) -> None:
    facts = {
        "url": url,
        "documentation": None if settings.documentation == "off" else f"{url}/docs",
        **({} if metrics is None else {"metrics": metrics}),
        "dataFolder": str(settings.data_folder.absolute()),
        "pid": os.getpid(),
        "demoUsers": [
            {"userId": user.user_id, "tenantId": user.tenant_id, "password": user.password} for user in users
        ],
    }
    report(facts, as_json, lambda out: _print_banner(out, settings, url, users))
    sys.stdout.flush()


def _print_banner(out: Console, settings: Settings, url: str, users: list[DemoUser]) -> None:
    out.print("Recordsmith", style="bold", end="")
    out.print(f"  {url}")
    if settings.documentation != "off":
        out.print(f"  try it     {url}/docs")
    out.print(f"  data       {settings.data_folder.absolute()}")
    for user in users:
        known = "(the password was shown at creation)"
        said = f"password  {user.password}   (shown this once)" if user.password else known
        out.print(f"  demo user  {user.user_id}  {said}")
    if users:
        words = ("users", "set-password", "--user", users[0].user_id, "--data", settings.data_folder)
        out.print(f"  new password: {spell_command(*words)}")
