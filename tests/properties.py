"""Profiles of properties: the suite tries the same few examples each time, ``HYPOTHESIS_PROFILE=nightly`` many new ones."""

from __future__ import annotations

import os
from typing import Final

from hypothesis import HealthCheck, settings

_PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE") or "suite"

IS_NIGHTLY: Final = _PROFILE == "nightly"


def load_profile() -> None:
    """Let all properties follow the profile, but for what they set themselves.

    No example has a deadline: on a busy machine it may take long without being wrong.
    """
    quiet = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    settings.register_profile("suite", quiet, derandomize=True, database=None)
    settings.register_profile("nightly", quiet, max_examples=5000, print_blob=True)
    settings.load_profile(_PROFILE)


def examples(suite: int, *, nightly: int) -> int:
    """Return the number of examples of a property that sets one, as each asks a service or is large."""
    return nightly if IS_NIGHTLY else suite
