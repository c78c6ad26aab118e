"""The embedded MongoDB of development and tests: a real replica set of one, with durable data.

Nothing else in the code knows of it: code that needs a store is given an address.
"""

from runtime.storage.embedded.folder import has_database
from runtime.storage.embedded.lock import FileLock, is_locked
from runtime.storage.embedded.mongod import binary
from runtime.storage.embedded.server import read_server_facts
from runtime.storage.embedded.sharing import run_embedded

__all__ = [
    "FileLock",
    "binary",
    "has_database",
    "is_locked",
    "read_server_facts",
    "run_embedded",
]
