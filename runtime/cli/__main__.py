"""``python -m runtime.cli`` is ``recordsmith``."""

from runtime.cli.commands import main

main()
