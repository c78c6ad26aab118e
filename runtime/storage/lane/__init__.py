"""A fast lane for store commands, over the connections of the driver (README of ``runtime/storage``)."""

from runtime.storage.lane.collection import LaneCollection
from runtime.storage.lane.cursor import LaneCursor
from runtime.storage.lane.driver import find_obstacle
from runtime.storage.lane.lane import Lane
from runtime.storage.lane.session import LaneSession

__all__ = ["Lane", "LaneCollection", "LaneCursor", "LaneSession", "find_obstacle"]
