"""Metrics as text: of one process, or of all workers that write into one folder.

Counts of workers that have ended stay in the sum, so that it never goes back; what shows a state is that of
workers which live.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder of all workers; the library reads it when it is imported."""

Registry: TypeAlias = Any
"""A registry of the library, which is imported where it is needed."""

_OF_LIVING: Final = re.compile(r"gauge_live[a-z]+_(\d+)\.db")


def render_metrics(registry: Registry, accept: str) -> tuple[bytes, str]:
    """Render the metrics of all workers, or those of ``registry``; return body and media type.

    ``accept``: the header of the request, for the version of the format. Reads files: call it in a thread.
    """
    from prometheus_client.exposition import choose_encoder

    encode, media_type = choose_encoder(accept)
    return encode(open_registry(folder) if (folder := os.environ.get(FOLDER)) else registry), media_type


def open_registry(folder: str) -> Registry:
    """Return a registry of what all workers of a folder count."""
    from prometheus_client import CollectorRegistry

    registry = CollectorRegistry()
    registry.register(_Workers(folder))
    return registry


class _Workers:
    """Collects the files of a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def describe(self) -> Iterable[Any]:
        """Return nothing: what there is depends on the files."""
        return ()

    def collect(self) -> Iterable[Any]:
        """Return the sum of the files."""
        from prometheus_client import multiprocess

        for file in Path(self._folder).glob("gauge_live*.db"):
            match = _OF_LIVING.fullmatch(file.name)
            if match and not _lives(int(match[1])):
                file.unlink(missing_ok=True)
        collector: Any = multiprocess.MultiProcessCollector
        collected: Iterable[Any] = collector(None, self._folder).collect()
        return collected


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def serve_metrics(host: str, port: int, folder: str) -> Iterator[int]:
    """Offer the metrics of a folder on a port of their own, in a thread; yield the port, of which 0 is any.

    Raises ``OSError``.
    """
    from prometheus_client import start_http_server

    server, thread = start_http_server(port, host, open_registry(folder))
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
