"""Where the command is entered.

Workers load modules of this package too and run no command: what commands need, which takes longer to load
than a worker's own part, is loaded when one is run.
"""

import sys

from runtime.cli.version import installed_version


def main() -> None:
    """Run the command; the console entry point."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"{installed_version()}\n")
        return
    from runtime.cli.commands import main as run

    run()
