"""UserNames, from runtime/system/specs/security/user_names.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class UserNames(Strict):
    """The user id and the subject of a user."""

    user_id: str
    subject: str
