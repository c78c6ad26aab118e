"""Decision, from runtime/system/specs/security/decision.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, RecordInput


class Decision(RecordInput):
    """A refusal (403) and the rules behind it, for administrators of the caller's domain."""

    verdict: Literal["DENY"]
    reason: str
    decided_at: Moment
    realm: str
    request_id: str
    user_id: str
    subject: str
    caller_roles: list[str]
    impersonator_user_id: str | None = None
    impersonator_subject: str | None = None
    asked_area: str | None = None
    asked_domain: str | None = None
    asked_action: str | None = None
    resource: str | None = None
    applied_rules: list[str]
    expires_at: Moment
