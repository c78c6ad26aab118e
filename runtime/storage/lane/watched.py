"""A lane that passes its commands on to who watches them."""

from collections.abc import Sequence
from time import monotonic
from typing import Any

from pymongo import AsyncMongoClient
from pymongo.errors import PyMongoError

from runtime.storage.lane.command import Address, Command, Document
from runtime.storage.lane.lane import Lane
from runtime.storage.lane.watching import IS_IN_LANE, Ask, Watch


class WatchedLane(Lane):
    """A lane whose commands are passed to ``watch`` when they have ended, retries included.

    Those of a request that ``is_traced`` are sent by themselves, since each is a part of its trace.
    """

    def __init__(self, client: AsyncMongoClient[Any], watch: Watch, is_traced: Ask | None = None) -> None:
        super().__init__(client, publishes=False)
        self._watch = watch
        self._is_traced = is_traced

    def may_gather(self) -> bool:
        """Whether a command may be sent together with those of other requests."""
        return super().may_gather() and not (self._is_traced and self._is_traced())

    async def run_until(self, deadline: float, command: Command) -> tuple[Document, Address]:
        """Run one command of an operation with this deadline, and pass it on."""
        began = monotonic()
        try:
            answer = await super().run_until(deadline, command)
        except BaseException as error:
            self._watch(command.body, began, error)
            raise
        self._watch(command.body, began, None)
        return answer

    async def run_together(self, commands: Sequence[Command]) -> list[Document | PyMongoError] | None:
        """Run commands that are sent together, and pass each on: all end when the last is answered."""
        began = monotonic()
        try:
            answers = await super().run_together(commands)
        except BaseException as error:
            for command in commands:
                self._watch(command.body, began, error)
            raise
        for command, answer in zip(commands, answers or (), strict=False):
            self._watch(command.body, began, answer if isinstance(answer, PyMongoError) else None)
        return answers

    async def _run_in_driver(self, *how: Any) -> tuple[Document, Address]:
        marked = IS_IN_LANE.set(True)
        try:
            return await super()._run_in_driver(*how)
        finally:
            IS_IN_LANE.reset(marked)
