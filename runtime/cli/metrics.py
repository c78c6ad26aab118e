"""Where the workers of ``serve`` write what they count, and the port on which all of it is read."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory

from runtime.cli.output import CommandFailed
from runtime.observe import FOLDER, serve_metrics
from runtime.settings import Settings


@contextmanager
def offer_metrics(settings: Settings) -> Iterator[str | None]:
    """Give all workers one folder for their metrics, and offer the sum on a port, for the block.

    Yield the address of that port, if one is set. Raises ``CommandFailed`` where it is taken.
    """
    if not settings.has_metrics:
        yield None
        return
    with ExitStack() as stack:
        if FOLDER not in os.environ:
            os.environ[FOLDER] = stack.enter_context(TemporaryDirectory(prefix="recordsmith-metrics-"))
            stack.callback(os.environ.pop, FOLDER, None)
        yield _offer(settings, os.environ[FOLDER], stack) if settings.metrics_port else None


def _offer(settings: Settings, folder: str, stack: ExitStack) -> str:
    host, port = settings.metrics_host, settings.metrics_port
    try:
        stack.enter_context(serve_metrics(host, port, folder))
    except OSError as error:
        reason = error.strerror or str(error)
        advice = "choose another with METRICS_HOST or METRICS_PORT"
        raise CommandFailed(
            "service.port", f"cannot offer metrics on {host} port {port} ({reason}): {advice}"
        ) from error
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"
