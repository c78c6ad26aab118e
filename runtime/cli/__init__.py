"""The ``recordsmith`` command. See README.md for its commands, exit codes and the shape of ``--json``."""

from runtime.cli.entry import main

__all__ = ["main"]
