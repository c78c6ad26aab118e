"""Is the tenant isolation test worth anything? Takes the scope away from one method of the store at a time.

    python -m tests.http.mutate_scope           all of them, one run of the test each; a table
    python -m tests.http.mutate_scope find_one  that one, with what pytest says

Every row must say "caught". Not part of the suite: it takes minutes.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.access import Access
from runtime.principal import DomainScope
from runtime.store import Store

ROOT = Path(__file__).parents[2]
TEST = "tests/http/test_tenant_isolation.py"


def methods() -> list[str]:
    """Those that take an ``Access``."""
    public = inspect.getmembers(Store, inspect.isfunction)
    takers = {name for name, method in public if "access" in inspect.signature(method).parameters}
    return sorted(name for name in takers if not name.startswith("_"))


def without_scope(method: Callable[..., Any]) -> Callable[..., Any]:
    """The same method for whoever asks, bound to no tenant, organisation, account or segment."""

    def mutated(store: Store, *arguments: Any, **options: Any) -> Any:
        return method(store, *map(_freed, arguments), **options)

    return mutated


def _freed(value: Any) -> Any:
    if isinstance(value, Access):
        return replace(value, domain=DomainScope())
    return type(value)(map(_freed, value)) if type(value) in (list, tuple) else value


def main() -> int:
    if len(sys.argv) == 2:
        setattr(Store, sys.argv[1], without_scope(getattr(Store, sys.argv[1])))
        return int(pytest.main(["-n0", "-x", "--tb=line", str(ROOT / TEST)]))
    missed = 0
    for name in ("", *methods()):
        command = [
            sys.executable,
            "-m",
            *(["tests.http.mutate_scope", name] if name else ["pytest", "-n0", TEST]),
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        fault = next((line for line in done.stdout.splitlines() if "Error" in line or line[:2] == "E "), "")
        missed += (done.returncode == 1) is not bool(name)
        verdict = (
            ("caught" if done.returncode == 1 else "MISSED") if name else f"passes: {not done.returncode}"
        )
        print(f"{name or 'nothing':14} {verdict}  {fault.strip()[:150]}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
