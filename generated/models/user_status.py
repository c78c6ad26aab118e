"""UserStatus, from specs/system/user_status.yaml. Written by the generator; do not edit."""

from runtime.record import Strict


class UserStatus(Strict):
    """Whether an account is taken away."""

    disabled: bool
