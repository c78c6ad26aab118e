"""Realm, from runtime/system/specs/security/realm.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class RealmFields(Strict):
    """The fields that are both sent and read."""

    description: Annotated[str | None, Field(max_length=2000)] = None
    database: Annotated[
        str, Field(max_length=38, description="The database of the realm; realms do not share databases.")
    ]
    active: Annotated[
        bool,
        Field(
            description="Whether users may sign in to the realm, act in it, or act in other realms from it."
        ),
    ]


class RealmInput(RealmFields, RecordInput):
    """A realm other than the default one, by refName, and its database (as sent)."""


class Realm(RealmFields, Record):
    """A realm other than the default one, by refName, and its database."""
