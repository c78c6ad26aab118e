"""The paths that whatever watches a worker asks for every few seconds."""

from typing import Final

PROBES: Final = ("/live", "/ready")
