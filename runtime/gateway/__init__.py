"""The query gateway: operations on any record type, by its name, for every door."""

from runtime.gateway.deeds import (
    call_endpoint,
    call_remote,
    count_matching,
    move_state,
    query_records,
    save_arguments,
)

__all__ = [
    "call_endpoint",
    "call_remote",
    "count_matching",
    "move_state",
    "query_records",
    "save_arguments",
]
