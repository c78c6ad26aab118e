"""The project of each release: its specifications, the code that is generated from them, and the comparison."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from generator.evolve import Version, compare_versions, describe_version
from generator.findings import Finding
from generator.folders import SYSTEM_SPECS
from generator.levels import Level
from generator.load import load
from generator.output import write
from generator.render import HEADER, render
from generator.resolve import resolve
from tests.life.releases import BASE, Edits


@dataclass(frozen=True)
class Project:
    """The folder of one release. ``app``: what ``service.app`` names; releases are imported by different names."""

    folder: Path
    number: int
    version: Version

    @property
    def app(self) -> str:
        """The application factory."""
        return f"release{self.number}.app:create"

    def compare(self, later: Project) -> list[Finding]:
        """Return what changes with a later release."""
        return compare_versions(self.version, later.version, datetime.now(UTC).date())

    def change(self, edits: Edits, folder: Path) -> Project:
        """Write the next release."""
        specs = self.folder / "specs"
        files = {
            os.path.relpath(path, specs): path.read_text("utf-8")
            for path in (*specs.rglob("*.yaml"), *self.folder.glob("migrations/*.py"))
        }
        for name, replacements in edits.items():
            text = files.get(name, "")
            for before, after in replacements:
                assert text.count(before) == 1, f"{name}: {before}"
                text = text.replace(before, after)
            files[name] = text
        return create_project(folder, self.number + 1, files)


def create_project(folder: Path, number: int = 0, files: dict[str, str] | None = None) -> Project:
    """Write the specifications of a release and generate its code."""
    (folder / "specs").mkdir(parents=True)
    for name, text in (files or BASE).items():
        path = folder / "specs" / name
        path.parent.resolve().mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    package = f"release{number}"
    model = resolve(load(folder / "specs", SYSTEM_SPECS))
    write(render(model, package), folder / package, HEADER)
    return Project(folder, number, describe_version(model, package))


def list_breaks(findings: list[Finding]) -> frozenset[str]:
    """Return what breaks, as rule and place."""
    return frozenset(f"{one.rule.id} {one.at}" for one in findings if one.level is Level.BREAKING)
