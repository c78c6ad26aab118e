"""``recordsmith doctor``: is everything here that a service needs? Each finding says what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from runtime.cli.checks import Check, Status, examine
from runtime.cli.opening import DataFolder
from runtime.cli.output import AsJson, ExitCode, failing, report

_STYLES = {Status.OK: "green", Status.WARN: "yellow", Status.FAIL: "red"}


def doctor(
    data: DataFolder = None,
    host: Annotated[str, typer.Option(help="Address a service would listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port a service would listen on.")] = 8080,
    as_json: AsJson = False,
) -> None:
    """Check this machine, the settings, the store, the keys and the generated code."""
    with failing(as_json):
        checks = examine(data, host, port)
        facts = [
            {"name": check.name, "status": check.status, "message": check.message, "advice": check.advice}
            for check in checks
        ]
        report({"checks": facts}, as_json, lambda out: _show(out, checks))
        if any(check.status is Status.FAIL for check in checks):
            raise typer.Exit(ExitCode.FAILED)


def _show(out: Console, checks: list[Check]) -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        out.print(f"[{_STYLES[check.status]}]{check.status:<4}[/]  {check.name:<{width}}  ", end="")
        out.print(check.message, markup=False)
        if check.advice:
            out.print(f"{'':<{width + 8}}{check.advice}", markup=False)
