"""Conditions on the elements of a list of plain values, which are called ``value``: ``scores:{value:>5}``."""

from typing import Final

from runtime.filter.conditions import Conditions, Operators
from runtime.filter.position import syntax_error
from runtime.filter.syntax import And, Compare, ElementMatch, EveryElement, Expression, InList
from runtime.model.field_type import FieldType

_ELEMENT: Final = "value"


def match_plain(conditions: Conditions, node: ElementMatch | EveryElement, element: FieldType) -> Operators:
    """Build the operators that one element must meet. Raises ``FilterSyntax`` for what is not about it."""
    operands = node.inner.operands if isinstance(node.inner, And) else (node.inner,)
    merged: Operators = {}
    for operand in operands:
        for operator, value in _condition(conditions, node, operand, element).items():
            if operator in merged:
                raise _not_plain(conditions, node)
            merged[operator] = value
    return merged


def _condition(
    conditions: Conditions, node: ElementMatch | EveryElement, operand: Expression, element: FieldType
) -> Operators:
    if not isinstance(operand, Compare | InList) or operand.path != _ELEMENT:
        raise _not_plain(conditions, node)
    if isinstance(operand, Compare):
        return conditions.compare(operand, element)
    alternatives = conditions.one_of(operand, element)
    if len(alternatives) > 1 or (operand.negated and "$in" not in alternatives[0]):
        example = f"{node.path}:^[2026-01,2026-02]"
        message = f"a list behind {_ELEMENT} takes no days, months or years, which are spans of time"
        advice = f"{example} finds an element in any of them"
        raise syntax_error(conditions.text, node.at, f"{message}; {advice}", [example])
    return {"$nin": alternatives[0]["$in"]} if operand.negated else alternatives[0]


def _not_plain(conditions: Conditions, node: ElementMatch | EveryElement) -> Exception:
    path = node.path
    message = f"{path} is a list of plain values: join conditions on {_ELEMENT} with &&, each operator once"
    every = "every" if isinstance(node, EveryElement) else ""
    example = f"{path}:{every}{{{_ELEMENT}:>1 && {_ELEMENT}:<5}}"
    return syntax_error(conditions.text, node.at, f"{message}, as in {example}", [example])
