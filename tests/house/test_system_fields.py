"""A field that is deleted from a specification of the service's own records fails the type check where it is used.

Ten fields of ten specifications are deleted together, the code is generated again, and mypy must find a use of
each.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator.load import load
from generator.output import write
from generator.render import HEADER, render_system
from generator.resolve import resolve

ROOT = Path(__file__).parents[2]

FIELDS = {
    "security/credential": ("CredentialDocument", "passwordHash"),
    "security/decision": ("DecisionDocument", "appliedRules"),
    "security/refresh_family": ("RefreshFamilyDocument", "rotatedAt"),
    "security/service_token": ("ServiceTokenDocument", "userId"),
    "security/permission_rule": ("PermissionRuleDocument", "effect"),
    "security/realm": ("RealmDocument", "active"),
    "system/import_session": ("ImportSessionDocument", "totalRows"),
    "system/import_row": ("ImportRowDocument", "report"),
    "system/idempotency_key": ("IdempotencyKeyDocument", "leaseUntil"),
    "security/user_account": ("UserAccountBody", "impersonationEnabled"),
}
"""Specification → the class that is generated from it, and the field that is deleted."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy says of the runtime without these fields."""
    folder = tmp_path_factory.mktemp("deleted")
    shutil.copytree(ROOT / "runtime", folder / "runtime", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    system = folder / "runtime" / "system"
    for name, (_class, field) in FIELDS.items():
        file = system / "specs" / f"{name}.yaml"
        text, count = re.subn(rf"(?m)^  {field}: .*\n", "", file.read_text("utf-8"))
        assert count == 1, name
        file.write_text(text, "utf-8")
    write(render_system(resolve(load(ROOT / "specs", system / "specs"))), system, HEADER)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *choose_modules(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def choose_modules(folder: Path) -> list[str]:
    """Return the options that name what is checked: all of the runtime, where ``make check`` has left its cache.

    Without it, the modules that name one of the classes: of what these import, only the declarations are read.
    """
    if (cache := ROOT / ".mypy_cache").is_dir():
        shutil.copytree(cache, folder / ".mypy_cache")
        return ["-p", "runtime"]
    names = re.compile("|".join(name for name, _field in FIELDS.values()))
    modules = [file for file in (folder / "runtime").rglob("*.py") if names.search(file.read_text("utf-8"))]
    alone = ("--follow-imports", "silent", "--cache-dir", os.devnull)
    return [*alone, *(str(file.relative_to(folder)) for file in modules)]


@pytest.mark.parametrize(("name", "field"), FIELDS.values(), ids=[field for _name, field in FIELDS.values()])
def test_a_deleted_field_fails_the_type_check(found: str, name: str, field: str) -> None:
    uses = re.findall(
        rf'^(runtime/\S+):\d+: error: .*(?:"{field}".*"{name}"|"{name}".*"{field}")', found, re.M
    )
    assert uses, f"nothing uses {field} of {name}"
