"""The events of a test in one message from its worker, which pytest-xdist sends one at a time.

It turns each into bytes in Python and writes it to the pipe: six for a test that passes, which take longer than
many tests do. A bundle ends with the test, so the process that starts the workers knows which one crashed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import execnet
import pytest
from xdist.workermanage import WorkerController

Event = tuple[str, dict[str, Any]]

_OF_A_TEST = frozenset(["logstart", "testreport", "logfinish"])
"""What waits until the test is complete, or until anything else is sent."""


class _BundlingChannel:
    """The channel of a worker, which collects what it sends about a test."""

    def __init__(self, channel: execnet.Channel) -> None:
        self._channel = channel
        self._events: list[Event] = []
        self.setcallback = channel.setcallback

    def send(self, event: Event) -> None:
        """Send an event with those before it, or collect it."""
        self._events.append(event)
        if event[0] not in _OF_A_TEST:
            self._channel.send(pickle.dumps(self._events, pickle.HIGHEST_PROTOCOL))
            self._events.clear()


def bundle_events(config: pytest.Config) -> None:
    """Let a worker send its events in bundles."""
    for plugin in config.pluginmanager.get_plugins():
        if (
            type(plugin).__name__ == "WorkerInteractor"
        ):  # the worker has the class under another module's name
            plugin.channel = _BundlingChannel(plugin.channel)


def unbundle_events(node: WorkerController) -> None:
    """Let the process that started a worker take the events out of its bundles."""
    process: Callable[[object], None] = node.process_from_remote

    def process_all(message: object) -> None:
        for event in pickle.loads(message) if isinstance(message, bytes) else [message]:
            process(event)

    vars(node)["process_from_remote"] = process_all
