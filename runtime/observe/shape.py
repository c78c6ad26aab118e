"""The shape of a store command: which fields it looks at and how, never which values it looks for. Pure.

Names that a caller may choose, such as the keys of a map, are values too: a path is shown as far as the
record type declares it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from runtime.model.record_type import RecordType

_HIDDEN: Final = "?"
_OWN: Final = ("_id", "_lock")
_LOGICAL: Final = ("$and", "$or", "$nor")
_MOST: Final = 1000


def describe_command(body: Mapping[str, Any], kind: RecordType[Any] | None) -> str:
    """Describe what a command looks for, as in ``{status: {$in: [?]}} sort {name: 1}``."""
    found = _Shape(kind)
    match body:
        case {"filter": Mapping() as match}:
            text = found.show_match(match) + found.show_order(body.get("sort"))
        case {"pipeline": Sequence() as stages}:
            text = found.show_stages(stages)
        case {"query": Mapping() as match}:
            text = found.show_match(match)
        case {"updates": Sequence() as parts} | {"deletes": Sequence() as parts}:
            text = _join({found.show_match(part.get("q", {})): None for part in parts})
        case _:
            text = ""
    return text if len(text) <= _MOST else f"{text[:_MOST]}…"


class _Shape:
    """Shows parts of commands on records of a type; None: one that is not known."""

    def __init__(self, kind: RecordType[Any] | None) -> None:
        self._kind = kind

    def show_match(self, match: Mapping[str, Any], prefix: str = "") -> str:
        """Show a filter, whose paths continue ``prefix``."""
        return "{" + ", ".join(self._show_member(*member, prefix) for member in match.items()) + "}"

    def _show_member(self, name: str, value: Any, prefix: str) -> str:
        if name in _LOGICAL and isinstance(value, list):
            parts = {self.show_match(part, prefix): None for part in value if isinstance(part, Mapping)}
            return f"{name}: [{_join(parts)}]"
        if name.startswith("$"):
            return f"{name}: {_HIDDEN}"
        path = f"{prefix}.{name}" if prefix else name
        return f"{self._show_path(name, path)}: {self._show_condition(value, path)}"

    def _show_condition(self, value: Any, path: str) -> str:
        if not isinstance(value, Mapping) or not all(str(name).startswith("$") for name in value):
            return _HIDDEN
        return (
            "{"
            + ", ".join(f"{name}: {self._show_operand(name, one, path)}" for name, one in value.items())
            + "}"
        )

    def _show_operand(self, name: str, value: Any, path: str) -> str:
        if name == "$elemMatch" and isinstance(value, Mapping):
            is_condition = all(str(inner).startswith("$") for inner in value)
            return self._show_condition(value, path) if is_condition else self.show_match(value, path)
        if name == "$not":
            return self._show_condition(value, path)
        return f"[{_HIDDEN}]" if isinstance(value, list) else _HIDDEN

    def _show_path(self, name: str, path: str) -> str:
        if path in _OWN or self._is_declared(path):
            return name
        steps = name.split(".")
        while steps:
            steps.pop()
            shown = path[: len(path) - len(name)] + ".".join(steps)
            if steps and self._is_declared(shown):
                return ".".join([*steps, "*"])
        return "*"

    def _is_declared(self, path: str) -> bool:
        return self._kind is not None and self._kind.find(path) is not None

    def show_order(self, order: Any) -> str:
        if not isinstance(order, Mapping) or not order:
            return ""
        keys = (
            f"{self._show_path(name, name)}: {way if way in (1, -1) else _HIDDEN}"
            for name, way in order.items()
        )
        return " sort {" + ", ".join(keys) + "}"

    def show_stages(self, stages: Sequence[Any]) -> str:
        """Show a pipeline: names of stages, and what those look for that filter."""
        shown = []
        for stage in stages:
            name, value = next(iter(stage.items()))
            if name == "$match" and isinstance(value, Mapping):
                shown.append(f"$match {self.show_match(value)}")
            elif name == "$sort":
                shown.append(f"$sort{self.show_order(value).removeprefix(' sort')}")
            else:
                shown.append(name)
        return f"[{', '.join(shown)}]"


def _join(texts: Mapping[str, None]) -> str:
    return ", ".join(texts)
