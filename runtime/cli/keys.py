"""``recordsmith keys``: the keys that sign access and refresh tokens.

Running services notice a change by themselves; no store is needed.
"""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.cli.command import command_of
from runtime.cli.opening import Local, read_settings
from runtime.cli.output import CommandFailed, print_table
from runtime.model.mappings import without_nones
from runtime.model.record import wire_name
from runtime.settings import Settings
from runtime.tokens import KeyChangeRefused, KeyFacts, list_keys, remove_key, rotate_keys

keys = typer.Typer(help="Show and change the keys that sign tokens.", no_args_is_help=True)


@command_of(keys, "list")
def list_all(local: Local) -> None:
    """Show which key signs, which is next, and until when older ones verify."""
    _report(local, lambda settings: list_keys(settings, time.time()))


@command_of(keys, "rotate")
def rotate(
    now: Annotated[
        bool,
        typer.Option("--now", help="Sign with it at once, unannounced: when the current key is compromised."),
    ] = False,
    *,
    local: Local,
) -> None:
    """Create a new key.

    It is published at once and signs after auth.jwt.publish-seconds; the current one verifies until its
    last token has expired. Run it with the settings of the service.
    """
    _report(local, lambda settings: rotate_keys(settings, time.time(), at_once=now))


# A key id may begin with a dash.
@command_of(keys, "remove", context_settings={"ignore_unknown_options": True})
def remove(
    kid: Annotated[str, typer.Argument(help="The key's kid, or its first 6 characters or more.")],
    local: Local,
) -> None:
    """Remove a key: what it signed is refused from now on, refresh and service tokens too."""
    _report(local, lambda settings: remove_key(settings, kid, time.time()))


def _report(local: Local, work: Callable[[Settings], list[KeyFacts]]) -> None:
    try:
        rows = [_render_key(facts) for facts in work(read_settings(local.data))]
    except KeyChangeRefused as refusal:
        raise CommandFailed("keys.refused", str(refusal)) from refusal
    except OSError as error:
        place = f"{error.filename}: {error.strerror}"
        message = f"{place}; if the keys are a mounted secret, change the secret itself"
        raise CommandFailed("keys.files", message) from error
    local.report(rows, lambda out: _show_table(out, rows))


def _render_key(facts: KeyFacts) -> dict[str, Any]:
    return without_nones({wire_name(name): value for name, value in asdict(facts).items()})


def _show_table(out: Console, rows: list[dict[str, Any]]) -> None:
    names = ("kid", "state", "created", "signsFrom", "verifiesUntil")
    headings = ("kid", "state", "created", "signs from", "verifies until")
    print_table(out, headings, ([row.get(name, "") for name in names] for row in rows))
