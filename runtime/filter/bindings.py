"""The variables that a filter names, and what becomes of it when one has no value."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, Final, TypeAlias

from runtime.errors import FilterSyntax
from runtime.filter.literal_values import VariableValue
from runtime.filter.moment import Moment
from runtime.filter.own_id import OWN_ID, OwnId
from runtime.filter.position import syntax_error
from runtime.filter.syntax_literals import Literal, Variable
from runtime.model.nearest import hint

Variables: TypeAlias = Mapping[str, VariableValue | OwnId | Sequence[VariableValue] | None]

_NO_VALUES: Final = (None, "")


class Bindings:
    """The variables of one filter text, and the moment and time zone of its caller.

    One that nobody knows or that has no value is 400 in a user's filter. In a rule (``for_rule``)
    ``undecided`` then says why the filter as a whole cannot be decided, whatever ``!!`` stands around it.
    Without a ``moment`` there are no dates relative to now.
    """

    def __init__(self, text: str, variables: Variables, for_rule: bool, moment: Moment | None = None) -> None:
        self.text, self.for_rule, self.moment = text, for_rule, moment
        self.undecided: str | None = None
        self._variables = variables

    @property
    def zone(self) -> tzinfo:
        """The time zone in which days begin."""
        return UTC if self.moment is None else self.moment.zone

    def is_own_id(self, literal: Literal) -> bool:
        """Whether it is a variable that stands for the id of the record."""
        return isinstance(literal, Variable) and self._variables.get(literal.name) is OWN_ID

    def bound(self, variable: Variable) -> Any:
        """Return the value of a variable; without one a rule is undecided, and a user's filter refused."""
        name, message = variable.name, f"${{{variable.name}}} has no value"
        if self._variables.get(name) not in _NO_VALUES:
            return self._variables[name]
        if self.for_rule:
            return self.leave_undecided(message)
        if name not in self._variables:
            raise self._build_unknown(variable)
        raise syntax_error(self.text, variable.at, f"{message} for you: leave this condition out")

    def leave_undecided(self, reason: str) -> None:
        """Note why a rule cannot be decided; the first reason stays."""
        self.undecided = self.undecided or reason

    def _build_unknown(self, variable: Variable) -> FilterSyntax:
        message = f"no variable ${{{variable.name[:100]}}}{hint(variable.name, self._variables)}"
        known = [f"${{{name}}}" for name in sorted(self._variables)]
        return syntax_error(self.text, variable.at, message, known)
