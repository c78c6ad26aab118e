"""``recordsmith doctor``: is everything here that a service needs? Each finding says what to do about it."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from runtime.cli.checks import examine
from runtime.cli.findings import Check, Status
from runtime.cli.opening import Local
from runtime.cli.output import ExitCode

_STYLES = {Status.OK: "green", Status.WARN: "yellow", Status.FAIL: "red"}


def doctor(
    host: Annotated[str, typer.Option(help="Address a service would listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port a service would listen on.")] = 8080,
    *,
    local: Local,
) -> None:
    """Check this machine, the settings, the store, the keys and the generated code."""
    checks = examine(local.data, host, port)
    local.report({"checks": [asdict(check) for check in checks]}, lambda out: _show(out, checks))
    if any(check.status is Status.FAIL for check in checks):
        raise typer.Exit(ExitCode.FAILED)


def _show(out: Console, checks: list[Check]) -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        out.print(f"{check.status:<4}", style=_STYLES[check.status], end="")
        out.print(f"  {check.name:<{width}}  {check.message}")
        if check.advice:
            out.print(f"{'':<{width + 8}}{check.advice}")
