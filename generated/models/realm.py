"""Realm, from specs/system/realm.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class RealmFields(Strict):
    """The fields that are both sent and read."""

    description: Annotated[str | None, Field(max_length=2000)] = None
    database: Annotated[
        str, Field(max_length=38, description="Where its records are, those of no other realm.")
    ]
    active: Annotated[bool, Field(description="Else nobody acts in it, signs in to it or comes from it.")]


class RealmInput(RealmFields, RecordInput):
    """A realm beside the default one, by its refName, and the database that keeps it (as sent)."""


class Realm(RealmFields, Record):
    """A realm beside the default one, by its refName, and the database that keeps it."""
