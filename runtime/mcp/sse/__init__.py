"""The transport of the first era (2024-11-05): a stream of events, and messages in requests of their own.

A message may come to any worker, its answer leaves on the stream that one of them holds. So each message is
answered as a request of its own, and the answer waits in the store for the worker with the stream.
"""

from runtime.mcp.sse.door import SseDoor

__all__ = ["SseDoor"]
