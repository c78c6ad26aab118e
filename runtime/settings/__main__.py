"""Print the settings in effect, with secrets masked."""

import sys

from runtime.settings.effective import Settings

if __name__ == "__main__":
    sys.stdout.write(Settings.read().printable() + "\n")
