"""What the tables of settings are made of: a row has a name, a type, a default and a help text."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Rows(BaseModel):
    """A table of settings; attribute names are Python's, aliases are the documented names."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


def row(name: str, default: Any, text: str) -> Any:
    """Return one setting: its documented name, default and help; the annotation has its type."""
    return Field(default=default, validation_alias=name, description=text)
