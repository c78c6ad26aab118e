"""The private names of the driver that the lane uses, in one table, and whether this driver has them.

The lane works inside the driver, which promises nothing about these names between two versions. So it runs
with the versions it was tested with alone, and where all of the names are there.
"""

from importlib import import_module
from typing import Any, Final

import pymongo
from pymongo import AsyncMongoClient
from pymongo.read_preferences import ReadPreference

_TESTED: Final = frozenset({"4.20.0", "4.20.1"})

_NAMES: Final = {
    "asynchronous.bulk:_AsyncBulk": "add_insert execute gen_unordered is_retryable ops ordered",
    "asynchronous.client_session:AsyncClientSession": (
        "_apply_to _end_session _finish_transaction _finish_transaction_with_retry _process_response"
        " _server_session _starting_transaction _transaction in_transaction"
    ),
    "asynchronous.client_session:_Transaction": (
        "attempt has_completed_command opts set_in_progress set_starting"
    ),
    "asynchronous.collection:AsyncCollection": "_write_concern_for _write_response_codec_options",
    "asynchronous.mongo_client:AsyncMongoClient": (
        "_close_cursor_now _close_cursor_soon _event_listeners _loop _send_cluster_time _start_session"
        " _timeout _topology _topology_id"
    ),
    "asynchronous.mongo_client:_ClientCheckout": "for_existing_conn handle",
    "asynchronous.mongo_client:_ClientConnectionRetryable": ("_get_server _is_session_state_retryable run"),
    "asynchronous.pool:AsyncConnection": (
        "_raise_connection_failure active address cancel_context close_conn command compression_context conn"
        " conn_closed generation idle_time_seconds max_bson_size max_message_size"
        " max_wire_version service_id"
    ),
    "asynchronous.pool:Pool": (
        "_checkin_apply _max_connecting_cond _telemetry active_contexts active_sockets checkin conns lock"
        " max_pool_size operation_count opts requests size_cond stale_generation state"
    ),
    "asynchronous.server:Server": "description pool",
    "asynchronous.topology:Topology": (
        "_description _max_cluster_time _receive_cluster_time_no_lock _servers get_server_session"
        " return_server_session"
    ),
    "network_layer:AsyncNetworkingInterface": "get_conn",
    "network_layer:PyMongoProtocol": "close read write",
    "pool_shared:_CancellationContext": "cancelled",
    "pool_shared:PoolState": "READY",
    "topology_description:TopologyDescription": "_incompatible_err server_descriptions topology_type",
    "_csot:": "DEADLINE _TimeoutContext get_deadline get_timeout",
    "_telemetry:_CommandTelemetry": "failed started succeeded",
    "bulk_shared:": "_Run _merge_command _raise_bulk_write_error",
    "errors:": "_OperationCancelled",
    "errors:PyMongoError": "_add_error_label _remove_error_label",
    "helpers_shared:": "_RETRYABLE_ERROR_CODES _check_command_response _check_write_command_response",
    "lock:Condition": "_waiters",
    "lock:Lock": "locked",
    "logger:": "_COMMAND_LOGGER _is_debug_enabled",
    "message:": (
        "_COMMAND_OVERHEAD _CursorAddress _UNPACK_REPLY _convert_exception _op_msg _raise_document_too_large"
    ),
    "operations:UpdateOne": "_add_to_bulk",
}
"""Module and class of the driver: the names in it, of which some are set when it is initialized."""


def find_obstacle(client: AsyncMongoClient[Any]) -> str | None:
    """Return why the lane cannot work with the installed driver, or with this client; None if it can."""
    if pymongo.version not in _TESTED:
        return f"PyMongo {pymongo.version} is not one it was tested with ({', '.join(sorted(_TESTED))})"
    missing = [
        f"{place.removesuffix(':')}.{name}"
        for place, names in _NAMES.items()
        for name in _find_missing(place, names)
    ]
    if missing:
        return f"PyMongo has no {', '.join(missing)}"
    return _find_unsuitable(client)


def _find_missing(place: str, names: str) -> list[str]:
    module, _colon, kind = place.partition(":")
    try:
        owner: Any = import_module(f"pymongo.{module}")
        owner = getattr(owner, kind) if kind else owner
    except (ImportError, AttributeError):
        return names.split()
    return [name for name in names.split() if not hasattr(owner, name) and not _is_set_by(owner, name)]


def _is_set_by(owner: Any, name: str) -> bool:
    """Whether some class sets the attribute where it initializes or describes itself."""
    makers = [vars(base).get("__init__") for base in getattr(owner, "__mro__", ())]
    return any(name in maker.__code__.co_names for maker in makers if hasattr(maker, "__code__"))


def _find_unsuitable(client: AsyncMongoClient[Any]) -> str | None:
    """Return what the address of the store asks for that only the driver does."""
    pool = client.options.pool_options
    credentials = pool._credentials
    unsuitable = {
        "readPreference": client.read_preference != ReadPreference.PRIMARY,
        "loadBalanced": bool(pool.load_balanced),
        "authMechanism=MONGODB-OIDC": credentials is not None and credentials.mechanism == "MONGODB-OIDC",
    }
    found = [name for name, applies in unsuitable.items() if applies]
    return f"MONGODB_URI has {', '.join(found)}" if found else None
