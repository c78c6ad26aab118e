"""``python -m runtime.cli`` is ``recordsmith``."""

from runtime.cli.entry import main

main()
