"""Finding a client by its id, wherever it is described."""

from runtime.call import Call
from runtime.client import Client, is_url


async def find_client(call: Call, realm: str, client_id: str) -> Client | None:
    """Return the active client with this id, which proves nothing about who sent it.

    A document is fetched without a place among those that use the store. Raises ``Overloaded``.
    """
    if not is_url(client_id):
        return await call.service.clients.find(realm, client_id)
    async with call.turn.pause():
        return await call.service.clients.find(realm, client_id)
