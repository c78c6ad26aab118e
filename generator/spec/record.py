"""``record: Order`` and ``structure: Address``."""

from typing import Any, Final, Literal

from pydantic import field_validator, model_validator

from generator.spec.field import Fields
from generator.spec.strict import AreaName, RecordName, RoleName, Spec, needed, word


class ConstraintSpec(Spec):
    """A filter every saved record must match."""

    when: str = needed("A filter that every saved record must match.")
    message: str = needed("What the caller reads when it does not.")


class IndexSpec(Spec):
    """An index. A bare list is its fields; ``-name`` is descending, ``name~ci`` ignores case."""

    fields: list[str] = needed(
        "Field names in order; -name is descending, name~ci or name~ci:sv serves a sort that ignores case."
    )
    unique: bool = word("No two records share the values.", default=False)
    per_realm: bool = word("Over all tenants of a realm, not within each.", default=False)
    expire_after_seconds: int | None = word("Remove records this long after the one date-time field.")

    @model_validator(mode="before")
    @classmethod
    def spelled_out(cls, value: Any) -> Any:
        """Read a list as its fields."""
        return {"fields": value} if isinstance(value, list) else value


DECIDING_ROUTES: Final = (
    *("path", "plural", "collection", "area"),
    *("endpoints", "audited", "changes", "onDelete", "ontology"),
)
"""Keys that decide what the routes and the collection of a record are called, and which it has."""


class RecordSpec(Spec):
    """One record type."""

    record: str = needed("The name of the record type, in CamelCase and singular.")
    renamed_from: RecordName | None = word("The name under which its records were first stored.")
    description: str | None = word("What it is, for the API document.")
    area: AreaName | None = word("Its functional area, where that is not the folder.")
    path: str | None = word("Where its routes begin. Default: /<area>/<plural>.")
    plural: str | None = word("Its plural in plain words, where the English rules are wrong.")
    collection: str | None = word("Its MongoDB collection. Default: the plural in camelCase.")
    display: str | None = word('Makes displayName when none is sent: "{refName} {origin.entityRefName}".')
    roles: list[RoleName] | None = word("Roles that may call its routes. Default: user, admin.")
    audited: bool = word("Keep a revision of each write.", default=False)
    changes: bool = word("Let callers follow the writes of its records as they happen.", default=False)
    persistent_events: bool = word("Keep a list of writes on the record.", default=False)
    on_delete: Literal["remove", "archive"] = word("What deleting does.", default="remove")
    dynamic_attributes: bool = word("Records may carry attributes beyond the fields.", default=False)
    validation: Literal["strict", "lenient"] = word("lenient: store invalid records too.", default="strict")
    ontology: bool = word("Publish the ontology routes.", default=False)
    fields: Fields = word("Its own fields by name; the common fields come by themselves.", default={})
    constraints: list[ConstraintSpec] = word("Filters that every saved record must match.", default=[])
    indexes: list[IndexSpec] = word("Indexes behind the tenant key.", default=[])
    endpoints: list[str] | None = word('"standard", or a list of the standard operations to publish.')

    @field_validator("endpoints", mode="before")
    @classmethod
    def _standard(cls, value: Any) -> Any:
        return None if value == "standard" else value


class ExtensionSpec(Spec):
    """Fields that a project adds to a record type of the service."""

    extend: RecordName = needed("The record type of the service, such as Webhook.")
    fields: Fields = needed("Its further fields by name; none is required.")
    indexes: list[IndexSpec] = word("Further indexes behind the tenant key.", default=[])


class StructureSpec(Spec):
    """A shared nested object."""

    structure: str = needed("The name of the structure, in CamelCase and singular.")
    description: str | None = word("What it is, for the API document.")
    snake_case: bool = word(
        "The names of its fields are snake_case, as a standard such as RFC 6749 has them.", default=False
    )
    fields: Fields = needed("Its fields by name.")
