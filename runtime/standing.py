"""What the credential of a user says now, as data."""

from dataclasses import dataclass

from runtime.principal import Identity


@dataclass(frozen=True, slots=True)
class Standing:
    """A usable credential. Tokens of another ``epoch`` are not accepted any more."""

    identity: Identity
    epoch: int
    record_id: str
    email: str | None = None
    must_change_password: bool = False
