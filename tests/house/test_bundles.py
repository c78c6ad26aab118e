"""Events of a worker arrive as they were sent, in their order, and no later than their test ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.bundles import Event, bundle_events, unbundle_events

NAMES = (
    *("workerready", "logstart", "testreport", "warning_recorded", "testreport", "logfinish"),
    *("runtest_protocol_complete", "logstart", "internal_error"),
)


class WorkerInteractor:
    """What pytest-xdist registers in a worker."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel


def test_events_arrive_with_the_end_of_their_test() -> None:
    arrived: list[Event] = []
    node: Any = SimpleNamespace(process_from_remote=arrived.append)
    unbundle_events(node)
    channel = SimpleNamespace(send=lambda message: node.process_from_remote(message), setcallback=None)
    interactor = WorkerInteractor(channel)
    plugins = SimpleNamespace(get_plugins=lambda: [object(), interactor])
    bundle_events(SimpleNamespace(pluginmanager=plugins))  # type: ignore[arg-type]  # all that it looks at
    sent: list[Event] = [(name, {"number": number}) for number, name in enumerate(NAMES)]
    seen: list[int] = []
    for event in sent:
        interactor.channel.send(event)
        seen.append(len(arrived))
    assert seen == [1, 1, 1, 4, 4, 4, 7, 7, 9]
    assert arrived == sent
    node.process_from_remote("the end of the channel")
    assert arrived[-1] == "the end of the channel"
