"""Consent, from runtime/system/specs/security/consent.yaml. Written by the generator; do not edit."""

from runtime.model.record import RecordInput, Strict


class ConsentGrant(Strict):
    """Part of Consent."""

    resource: str
    scopes: list[str]


class Consent(RecordInput):
    """The scopes that a user has granted to a client, so that they are not asked again."""

    subject: str
    client_id: str
    client_record: str
    scopes: list[str] | None = None
    resources: list[str] | None = None
    grants: list[ConsentGrant] | None = None
    roles: list[str] | None = None
    writer_roles: list[str] | None = None
    acts_as_others: bool | None = None
