"""Where the command is entered.

Workers load modules of this package too and run no command: what commands need, which takes longer to load
than a worker's own part, is loaded when one is run.
"""

import sys

_INTERRUPTED = 130
"""The exit code of shells for Ctrl-C, which typer uses once a command runs."""


def main() -> None:
    """Run the command; the console entry point."""
    try:
        _run()
    except KeyboardInterrupt:  # the libraries of commands take a moment to load
        sys.exit(_INTERRUPTED)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:
        from runtime.cli.version import installed_version

        sys.stdout.write(f"{installed_version()}\n")
        return
    from runtime.cli.commands import main as run

    run()
