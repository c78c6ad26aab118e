"""How a write is to be done, as the headers and parameters of its request say."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one write.

    ``expected``: the version the caller knows (``If-Match``). ``is_dry_run``: every check, nothing stored
    (``dryRun=true``). ``is_minimal``: without the record in the answer (``Prefer: return=minimal``). ``key``:
    the request takes effect once (``Idempotency-Key``).
    """

    expected: str | None = None
    is_dry_run: bool = False
    is_minimal: bool = False
    key: str | None = None


PLAIN = Terms()
