"""What a step does to the texts of a field: former ones become those of now, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.spelling.values import Expression, Operation


@dataclass(frozen=True, slots=True)
class Replace(Operation):
    """Texts in place of others: former text → text of now.

    ``final``: former texts that never come back, since workers of the earlier shape do not use them either,
    or know the one of now as well.
    """

    values: Mapping[str, str]
    final: frozenset[str] = frozenset()

    def express(self, x: Expression, is_new: Expression) -> Expression:
        return _choose(x, self.values)

    def express_back(self, x: Expression) -> Expression:
        return _choose(x, self._back) if self._back else x

    def apply(self, value: Any, is_new: bool) -> Any:
        return self.values.get(value, value) if isinstance(value, str) else value

    def apply_back(self, value: Any) -> Any:
        return self._back.get(value, value) if isinstance(value, str) else value

    @property
    def _back(self) -> Mapping[str, str]:
        return {now: former for former, now in self.values.items() if former not in self.final}


def _choose(x: Expression, values: Mapping[str, str]) -> Expression:
    branches = [
        {"case": {"$eq": [x, {"$literal": one}]}, "then": {"$literal": other}}
        for one, other in values.items()
    ]
    return {"$switch": {"branches": branches, "default": x}}
