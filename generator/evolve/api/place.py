"""Where two schemas are compared, and in which direction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from generator.evolve.api.recorder import Direction, Recorder
from generator.evolve.limits import Move


@dataclass(frozen=True, slots=True)
class Place:
    """``at`` is shown to people. ``is_text``: values are sent as text; ``is_ignored``: and are ignored."""

    recorder: Recorder
    direction: Direction
    at: str
    is_parameter: bool = False
    is_text: bool = False
    is_ignored: bool = False

    def inside(self, step: str, *, is_ignored: bool = False) -> Place:
        """Return the place of a part of the values here."""
        return replace(
            self, at=f"{self.at}{step}", is_parameter=False, is_ignored=self.is_ignored or is_ignored
        )

    def turned(self) -> Place:
        """Return this place where what is sent is read, and the other way around."""
        is_sent = self.direction is Direction.REQUEST
        direction = Direction.RESPONSE if is_sent else Direction.REQUEST
        return replace(self, direction=direction, is_parameter=False)

    def renamed(self, at: str) -> Place:
        """Return this place under another name, that of a shared component."""
        return replace(self, at=at, is_parameter=False, is_ignored=False)

    def report(self, rule: str, message: str) -> None:
        """Report a finding; ``rule`` without the direction that it begins with. What is ignored is safe."""
        if self.is_ignored:
            self.recorder.report(f"{self.direction}-ignored-changed", self.at, message)
        else:
            self.recorder.report(f"{self.direction}-{rule}", self.at, message)

    def report_move(self, rule: str, move: Move, message: str) -> None:
        """Report that the right values became fewer, more, or others: ``<rule>-narrowed`` and so on."""
        self.report(f"{rule}-{_ENDINGS[move]}", message)


_ENDINGS = {Move.FEWER: "narrowed", Move.MORE: "widened", Move.OTHER: "changed"}


def show(value: object, most: int = 80) -> str:
    """Spell a value in a message."""
    text = value if isinstance(value, str) else "none" if value is None else str(value)
    return text if len(text) <= most else f"{text[:most]}…"
