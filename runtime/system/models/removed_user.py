"""RemovedUser, from runtime/system/specs/security/removed_user.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class RemovedUser(RecordInput):
    """A user id that cannot be reused, because records, rules and filters may still name it."""

    user_id: Annotated[str, Field(max_length=100)]
    subject: str
    login_name: str
    removed_at: Moment
