"""``recordsmith tasks``: completion task groups, followed as their tasks are completed."""

import asyncio
from typing import Annotated

import typer

from runtime.cli.command import command_of
from runtime.cli.destination import Caller
from runtime.cli.output import ExitCode, report
from runtime.cli.task_watch import Progress, TaskWatch, describe, showing_tasks

tasks = typer.Typer(no_args_is_help=True, help="Follow the tasks of a completion task group.")


@tasks.callback()
def group() -> None:
    """Follow the tasks of a completion task group."""


@command_of(tasks, "watch")
def watch(
    group: Annotated[str, typer.Argument(help="The id of the group.")],
    caller: Caller,
) -> None:
    """Show how far a group is until it is complete: a bar on a terminal, lines elsewhere.

    Ends with 1 if a task failed.

    Example: recordsmith tasks watch 6b0433d907e20f09f5ceff5b --user ann@acme.example
    """

    async def run() -> Progress:
        async with caller.open() as api:
            with showing_tasks(group) as show:
                return await TaskWatch(api, group, show).run()

    try:
        progress = asyncio.run(run())
    except KeyboardInterrupt:
        raise typer.Exit(ExitCode.FAILED) from None
    report(progress, caller.as_json, f"complete: {describe(progress)}")
    raise typer.Exit(ExitCode.FAILED if progress["failed"] else ExitCode.DONE)
