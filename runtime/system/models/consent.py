"""Consent, from runtime/system/specs/security/consent.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import RecordInput, Strict


class ConsentGrant(Strict):
    """Part of Consent."""

    resource: str
    scopes: list[str]


class Consent(RecordInput):
    """The scopes that a user has granted to a client, so that they are not asked again."""

    subject: Annotated[str, Field(description="The subject of the user.")]
    client_id: str
    client_record: Annotated[
        str,
        Field(
            description="The id of the record of that client: a later one with the same client id is another."
        ),
    ]
    scopes: Annotated[
        list[str] | None,
        Field(
            description="Empty. Consents of an earlier version, which have it in place of `grants`, are not in force: they do not say which scope is for which resource."
        ),
    ] = None
    resources: Annotated[list[str] | None, Field(description="The same.")] = None
    grants: Annotated[
        list[ConsentGrant] | None,
        Field(
            description="What they have granted, resource by resource: a scope that is granted for one of them is not granted for another."
        ),
    ] = None
    roles: Annotated[
        list[str] | None,
        Field(
            description="The roles of the user when they granted it: one who has gained others is asked again."
        ),
    ] = None
    acts_as_others: Annotated[
        bool | None, Field(description="Whether the user could act as others then.")
    ] = None
