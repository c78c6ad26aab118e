"""UserStatus, from runtime/system/specs/security/user_status.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class UserStatus(Strict):
    """Whether a user is disabled."""

    disabled: bool
