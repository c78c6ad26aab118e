"""The base of all spec classes: unknown words refused, no silent conversions, words in camelCase."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from runtime.model.record import wire_name

NAMES = "x-names"
"""The word of a schema for the kind of things that a text names, a member of ``EditorNames``."""

RecordName = Annotated[str, WithJsonSchema({"type": "string", NAMES: "records"})]
StructureName = Annotated[str, WithJsonSchema({"type": "string", NAMES: "structures"})]
GraphName = Annotated[str, WithJsonSchema({"type": "string", NAMES: "graphs"})]
RoleName = Annotated[str, WithJsonSchema({"type": "string", NAMES: "roles"})]
PredicateName = Annotated[str, WithJsonSchema({"type": "string", NAMES: "predicates"})]
AreaName = Annotated[str, WithJsonSchema({"type": "string", NAMES: "areas"})]


class Spec(BaseModel):
    """One mapping of the specification language; its aliases are the words a YAML author writes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=wire_name)

    def has(self, attribute: str) -> bool:
        """Whether the author wrote the word, be it with an empty value."""
        return attribute in self.model_fields_set


def word(text: str, default: Any = None, *, alias: str | None = None) -> Any:
    """Declare an optional key with its help, which editors show."""
    return Field(default=default, description=text, alias=alias)


def needed(text: str, *, alias: str | None = None) -> Any:
    """Declare a required key with its help, which editors show."""
    return Field(description=text, alias=alias)
