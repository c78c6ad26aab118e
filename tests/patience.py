"""How long tests wait for MongoDB: on a busy machine a command may take seconds without being wrong."""

from typing import Final

STORE_MS: Final = 60_000
"""``mongodb.timeout-ms`` of the services of tests; those that test what happens behind it set their own."""
