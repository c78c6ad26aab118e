"""Restoration, from runtime/system/specs/system/restoration.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class RestorationFields(Strict):
    """The fields that are both sent and read."""

    realm: str
    tenant: Annotated[
        str | None, Field(description="The tenant that is restored; absent if the whole realm is.")
    ] = None
    backup: Annotated[str, Field(description="Id of the backup.")]
    started_at: Moment
    beat: Annotated[Moment, Field(description="When the command was last known to be running.")]


class RestorationInput(RestorationFields, RecordInput):
    """A backup that is being restored, in the default realm; deleted once everything is stored. A realm does not serve while it has one, unless it is about a single tenant. Its refName is the realm, or realm and tenant (as sent)."""


class Restoration(RestorationFields, Record):
    """A backup that is being restored, in the default realm; deleted once everything is stored. A realm does not serve while it has one, unless it is about a single tenant. Its refName is the realm, or realm and tenant."""
