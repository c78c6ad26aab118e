"""Hypothesis profiles of the language: the suite repeats itself; ``HYPOTHESIS_PROFILE=nightly`` searches."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("suite", derandomize=True, database=None, suppress_health_check=_QUIET)
settings.register_profile("nightly", max_examples=5000, print_blob=True, suppress_health_check=_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "suite")
