"""Log lines of a test."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from structlog.testing import capture_logs as _capture_logs
from structlog.typing import EventDict


@contextmanager
def capture_logs(level: int = logging.DEBUG) -> Iterator[list[EventDict]]:
    """The lines from ``level`` up, whatever level an application of this process has set before."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(level))
    try:
        with _capture_logs() as lines:
            yield lines
    finally:
        structlog.configure(**before)
