"""UserNames, from specs/system/user_names.yaml. Written by the generator; do not edit."""

from runtime.record import Strict


class UserNames(Strict):
    """The two names of a user."""

    user_id: str
    subject: str
