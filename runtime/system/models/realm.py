"""Realm, from runtime/system/specs/security/realm.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import RecordInput


class Realm(RecordInput):
    """A realm other than the default one, by refName, and its database."""

    description: Annotated[str | None, Field(max_length=2000)] = None
    database: Annotated[str, Field(max_length=38)]
    active: bool
