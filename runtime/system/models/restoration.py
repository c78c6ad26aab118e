"""Restoration, from runtime/system/specs/system/restoration.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class Restoration(RecordInput):
    """A backup that is being restored, in the default realm; deleted once everything is stored. A realm does not serve while it has one, unless it is about a single tenant. Its refName is the realm, or realm and tenant."""

    realm: str
    tenant: str | None = None
    backup: str
    started_at: Moment
    beat: Moment
