"""What a MongoDB server says of itself, for diagnosis: any server, not only the embedded one."""

from dataclasses import dataclass
from typing import Any, Final

from pymongo import MongoClient
from pymongo.errors import ConfigurationError, OperationFailure, PyMongoError
from pymongo.read_preferences import ReadPreference

from runtime.errors import Misconfigured, StoreUnavailable
from runtime.masking import drop_quoted, explain_file_fault, explain_unreachable
from runtime.model.clock import now

_LIFETIME: Final = "transactionLifetimeLimitSeconds"
_UNAUTHORIZED: Final = 13
_PRIMARY: Final = ReadPreference.PRIMARY
_ALL_DATABASES: Final = {"db": "", "collection": ""}
_NEEDED: Final = frozenset(
    ("changeStream", "collMod", "createIndex", "dropIndex", "find", "insert", "remove", "update")
)
"""What a service does in every database, by the names that MongoDB gives its privileges."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What a server reported about itself.

    ``topology`` in words; ``transactions``: whether one was tried and worked; ``transaction_seconds``: how
    long one may be open, if the server reports it. ``missing``: what its user may not do in every database.
    ``seconds_ahead``: how far its clock is ahead of that of this machine; less than 0 if it is behind.
    """

    version: str
    topology: str
    transactions: bool
    transaction_seconds: int | None = None
    missing: tuple[str, ...] = ()
    seconds_ahead: float = 0.0


def read_server_facts(uri: str, timeout_ms: int) -> ServerFacts:
    """Ask the server for its facts.

    Raises ``Misconfigured`` for an address that cannot be read, ``StoreUnavailable`` without an answer.
    """
    try:
        with MongoClient[dict[str, Any]](uri, timeoutMS=timeout_ms) as client:
            client.admin.command("ping")  # connects, so that the next answer comes at once
            began = now()
            hello = client.admin.command("hello")
            ahead = hello["localTime"] - (began + (now() - began) / 2)
            name = hello.get("setName")
            sharded = hello.get("msg") == "isdbgrid"
            topology = f"replica set {name}" if name else "sharded cluster" if sharded else "a lone server"
            version = str(client.admin.command("buildInfo")["version"])
            transacts = bool(name or sharded) and _transacts(client)
            seconds, missing = _lifetime(client), _find_missing(client)
            return ServerFacts(version, topology, transacts, seconds, missing, ahead.total_seconds())
    except (ConfigurationError, ValueError) as error:
        raise Misconfigured(f"MONGODB_URI: {drop_quoted(str(error))}", cause=error) from None
    except PyMongoError as error:
        message = f"the store cannot be reached: {explain_unreachable(str(error).split(',')[0])}"
        raise StoreUnavailable(message, cause=error) from None
    except OSError as error:
        raise Misconfigured(explain_file_fault(error), cause=error) from None


def _find_missing(client: MongoClient[dict[str, Any]]) -> tuple[str, ...]:
    """Return the needed privileges that the user lacks; without a user everything is allowed, or nothing."""
    found = client.admin.command({"connectionStatus": 1, "showPrivileges": True})["authInfo"]
    allowed = {
        action
        for privilege in found["authenticatedUserPrivileges"]
        if privilege["resource"] == _ALL_DATABASES
        for action in privilege["actions"]
    }
    return tuple(sorted(_NEEDED - allowed)) if found["authenticatedUsers"] else ()


def _lifetime(client: MongoClient[dict[str, Any]]) -> int | None:
    """Read the parameter; None for routers of a sharded cluster, and for users who may not ask."""
    try:
        found = client.admin.command({"getParameter": 1, _LIFETIME: 1})
    except OperationFailure:
        return None
    return int(found[_LIFETIME])


def _transacts(client: MongoClient[dict[str, Any]]) -> bool:
    try:
        with client.start_session() as session, session.start_transaction(read_preference=_PRIMARY):
            client["recordsmith_doctor"]["probe"].find_one({}, session=session)
    except OperationFailure as error:
        return error.code == _UNAUTHORIZED  # the user may have rights on the realms alone
    return True
