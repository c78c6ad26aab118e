"""A fast lane for store commands, over the connections of the driver (README of ``runtime/storage``)."""

from runtime.storage.lane.collection import LaneCollection
from runtime.storage.lane.command import Command
from runtime.storage.lane.cursor import LaneCursor
from runtime.storage.lane.driver import find_obstacle
from runtime.storage.lane.gathering import Alone, Answer
from runtime.storage.lane.lane import Lane
from runtime.storage.lane.pool import count_connections
from runtime.storage.lane.session import LaneSession
from runtime.storage.lane.watched import WatchedLane
from runtime.storage.lane.watching import Ask, DriverListener, Watch

__all__ = [
    "Alone",
    "Answer",
    "Ask",
    "Command",
    "DriverListener",
    "Lane",
    "LaneCollection",
    "LaneCursor",
    "LaneSession",
    "Watch",
    "WatchedLane",
    "count_connections",
    "find_obstacle",
]
