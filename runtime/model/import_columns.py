"""Columns of an import profile: how a header is read, and what is wrong with their words. Pure."""

from enum import StrEnum


class Modifier(StrEnum):
    """What the last character of a header says."""

    REQUIRED = "*"
    OPTIONAL = "?"
    CALCULATED = "~"
    KEY = "#"


def split_name(text: str, has_modifiers: bool) -> tuple[str, Modifier | None]:
    """Split ``"iata# "`` into ``("iata", Modifier.KEY)``."""
    name = text.strip()
    if has_modifiers and name and name[-1] in set(Modifier):
        return name[:-1].rstrip(), Modifier(name[-1])
    return name, None


def find_separator_problem(path: str, has_resolver: bool, takes_elements: bool) -> str | None:
    """Return why cells for the field at ``path`` cannot list elements, or None."""
    if not takes_elements:
        return f"{path} takes no list of single values, references or choices: leave listSeparator out"
    if has_resolver:
        return "a resolver gets the whole cell, and may return a list: leave listSeparator out"
    return None


def find_element_problem(path: str, has_resolver: bool) -> str:
    """Return why a column without a separator cannot fill the names or ids of the records in a list."""
    outer = path.rpartition(".")[0]
    if has_resolver:
        return f'{path} steps into a list: fill {outer}; the resolver may return a list of {{"entityId": …}}'
    return f"{path} steps into a list: give the column a listSeparator, or fill {outer} with JSON"


def find_reference_problem(path: str) -> str:
    """Return why a cell cannot fill a reference as a whole."""
    return f"{path} is a reference: fill {path}.entityRefName or {path}.entityId, or look it up"


def find_unmapped_problem(behavior: str | None, has_mappings: bool) -> str | None:
    """Return why no cell could be accepted, or None."""
    if has_mappings or behavior in (None, "PASSTHROUGH"):
        return None
    return "without valueMappings this column accepts no cell: add valueMappings"


def find_blank_problem(cell: str) -> str | None:
    """Return why a mapped cell never matches where cells are trimmed, or None."""
    if cell == cell.strip():
        return None
    return f'"{cell[:100]}" has blanks at an end, which trim takes away first: it never matches'


def find_prefix_problem(prefix: str) -> str | None:
    """Return why headers of dynamic attributes cannot begin with a prefix, or None."""
    if prefix == prefix.strip() and ":" not in prefix:
        return None
    return f'"{prefix}" cannot begin a header: no blanks at its ends, no colon'


def find_intent_problem(name: str, has_modifiers: bool) -> str | None:
    """Return why no header is that of the intents, or None."""
    bare, modifier = split_name(name, has_modifiers)
    if bare == name:
        return None
    where = ", and its modifier in the header of the file" if modifier else ""
    return f'"{name}" never names a column: write "{bare}"{where}'
