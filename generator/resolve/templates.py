"""Templates of names and calculated fields: what they name, and whether that can be shown."""

import re

from generator.model import Field, Kind, Record, Type
from generator.resolve.context import Spot
from generator.resolve.fields import a
from generator.resolve.paths import Missing, Paths
from runtime.model.paths import top_of

_DOUBLED = re.compile(r"\{\{\s*([^{}\s]+)\s*\}\}")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_NESTED = (Kind.LIST, Kind.MAP, Kind.OBJECT, Kind.STRUCTURE, Kind.REFERENCE, Kind.JSON)


def placeholders(template: str) -> list[str]:
    """Return the dotted paths between the braces; empty for the name of an expression."""
    return _PLACEHOLDER.findall(template)


def check_display(spot: Spot, display: str, record: Record, paths: Paths) -> None:
    """Check a template of names; the name of a field alone would be the name of all records."""
    if not display.strip():
        spot.report("SPEC052", "display is empty: write a template or remove it", "display")
    elif isinstance(paths.of_record(record, display), Type):
        message = f'display is the text "{display}" for all records: write "{{{display}}}" for the field'
        spot.report("SPEC052", message, "display")
    else:
        check_template(spot, display, record, paths, "display")


def check_template(spot: Spot, template: str, record: Record, paths: Paths, word: str) -> None:
    """Check that a template names only scalars that a caller can see."""
    if "{" in (rest := _PLACEHOLDER.sub("", template)) or "}" in rest:
        doubled = _DOUBLED.search(template)
        advice = f": write {{{doubled[1]}}} in single braces" if doubled else ""
        spot.report("SPEC052", f"an unmatched brace in {word}{advice}", word)
    hidden = {field.name for field in record.fields if field.hidden}
    for path in placeholders(template):
        found = paths.of_record(record, path)
        if isinstance(found, Missing):
            spot.report("SPEC034", f'{word} names the unknown field "{path}"{found.advise()}', word)
        elif top_of(path) in hidden:
            spot.report("SPEC054", f'{word} would show the hidden field "{path}"', word)
        elif found is not None and found.kind in _NESTED:
            hint = f" (write {{{path}.entityRefName}})" if found.kind is Kind.REFERENCE else ""
            spot.report("SPEC052", f"{word} needs one value, but {path} is {a(found)}{hint}", word)
        elif found is not None and (many := paths.find_list_around(record, path)):
            spot.report("SPEC052", f"{word} needs one value, but {path} is inside the list {many}", word)


def check_calculated_type(spot: Spot, field: Field) -> None:
    """Check that the text of a template can be read as a value of the field."""
    if field.type.kind in _NESTED and field.type.kind is not Kind.JSON:
        message = f"a template makes one value, but {field.name} is {a(field.type)}: name an expression"
        spot.report("SPEC052", message, "calculated")
