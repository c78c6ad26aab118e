"""Restoration, from runtime/system/specs/system/restoration.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class Restoration(RecordInput):
    """A backup that is being restored, in the default realm; deleted once everything is stored. A realm does not serve while it has one, unless it is about a single tenant. Its refName is the realm, or realm and tenant."""

    realm: str
    tenant: Annotated[
        str | None, Field(description="The tenant that is restored; absent if the whole realm is.")
    ] = None
    backup: Annotated[str, Field(description="Id of the backup.")]
    started_at: Moment
    beat: Annotated[Moment, Field(description="When the command was last known to be running.")]
