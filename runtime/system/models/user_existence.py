"""UserExistence, from runtime/system/specs/security/user_existence.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class UserExistence(Strict):
    """Whether a user exists among those the caller may manage."""

    exists: bool
