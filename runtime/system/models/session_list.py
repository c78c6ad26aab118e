"""SessionList, from runtime/system/specs/security/session_list.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.session import Session


class SessionList(Strict):
    """The sessions of a user."""

    rows: list[Session]
