"""The server to which the lane sends: the primary of a replica set, as the driver knows it."""

import asyncio
from typing import Any

from pymongo import AsyncMongoClient
from pymongo.asynchronous.server import Server
from pymongo.topology_description import TOPOLOGY_TYPE

from runtime.storage.lane.command import Command


class Primary:
    """The primary of one client. ``_found``: as the description ``_described`` of the topology has it."""

    def __init__(self, client: AsyncMongoClient[Any]) -> None:
        self._client, self._topology = client, client._topology
        self._described: object = None
        self._found: Server | None = None

    def find(self, command: Command | None = None) -> Server | None:
        """Return the server for a command if it is the primary of a replica set that answers as expected."""
        topology = self._topology
        if topology._description is not self._described:
            self._described, self._found = topology._description, self._look()
        server = self._found
        if server is None or self._client._loop is not asyncio.get_running_loop():  # or that of a fork
            return None
        return server if command is None or _is_usual(command, server) else None

    def _look(self) -> Server | None:
        described = self._topology._description
        if described.topology_type != TOPOLOGY_TYPE.ReplicaSetWithPrimary or described._incompatible_err:
            return None
        writable = [one for one in described.server_descriptions().values() if one.is_writable]
        return self._topology._servers.get(writable[0].address) if writable else None


def _is_usual(command: Command, server: Server) -> bool:
    """Whether a command is for this server, and outside of a session or in its transaction.

    Other commands of a session would be numbered by it.
    """
    is_here = command.address in (None, server.description.address)
    return is_here and (command.session is None or command.session.in_transaction)
