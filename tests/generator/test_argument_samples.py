"""Each field type has values with which profiles and filters of tools are tried."""

from __future__ import annotations

import pytest

from generator.model import Kind, Type
from generator.resolve.columns import CHECKED
from generator.resolve.tool_arguments import find_misfit
from generator.types import SCALARS
from runtime.gateway.binding import bind_arguments


@pytest.mark.parametrize("name", sorted({*SCALARS} - {"json"}))
def test_an_argument_that_no_filter_takes_is_reported(name: str) -> None:
    """A type without a sample would pass in silence, and each call of the tool be refused."""
    found = find_misfit("field:${x}", "x", Type(Kind(name)), (), lambda text: f"refused {text}")
    assert found is not None, f"add a sample of {name} to generator/resolve/tool_arguments.py"


def test_values_of_columns_are_checked_unless_any_text_is_one() -> None:
    unchecked = {name for name in SCALARS if Kind(name) not in CHECKED}
    assert unchecked == {"string", "text", "json"}
    assert {Kind.ENUM, Kind.STATES} <= CHECKED
    assert not CHECKED & {Kind.LIST, Kind.MAP, Kind.OBJECT, Kind.STRUCTURE, Kind.REFERENCE}


@pytest.mark.parametrize(
    "word", ["OPEN", "null", "a*b", "5", "+1", "true", "a:b", "@@65f0c0ffee00c0ffee00c0de", "today"]
)
def test_a_choice_is_tried_as_calls_write_it(word: str) -> None:
    """A word such as today is one of the words of an enumerated field as well as a date."""
    written = bind_arguments("field:${x}", {"x": word}, frozenset({"x"}))
    kind = Type(Kind.ENUM, values=(word,))
    assert find_misfit("field:${x}", "x", kind, (), lambda text: None if text == written else text) is None
