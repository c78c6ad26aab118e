"""Print the settings in effect, with secrets masked."""

import sys

from runtime.errors import Misconfigured
from runtime.settings.effective import Settings

if __name__ == "__main__":
    try:
        sys.stdout.write(Settings.read().printable() + "\n")
    except Misconfigured as error:
        sys.exit(f"error[{error.code}]: {error.message}")
