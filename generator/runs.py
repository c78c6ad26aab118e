"""One run of ``generate`` or ``check``.

Where a stamp says that all files are as these specifications ask for, the stages are not even loaded.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from generator.cache import ALWAYS, Stamp, TextCache, is_believed
from generator.command_line import Style, read_today, report_agreement
from generator.folders import DOCUMENT_FILE, list_folders
from generator.output import Changes, compare, write


@dataclass(frozen=True, slots=True)
class Run:
    """The options of ``generate`` and ``check``."""

    specs: Path
    out: Path
    package: str
    style: Style
    is_cached: bool

    def check(self) -> None:
        """Compare the files with the specifications, and these with the last release."""
        folders, stamp = list_folders(self.specs, self.out), self._find_stamp()
        today = read_today().isoformat()
        if stamp and stamp.count_intact(folders, today) is not None:
            report_agreement(self.style)
            return
        from generator.check_report import report_check
        from generator.wanted import render_wanted

        cache = stamp.open_texts() if stamp else TextCache()
        model, wanted = render_wanted(self.specs, self.out, self.package, self.style, cache)
        cache.save(is_replaced=False)
        found = [(folder, one) for folder, texts in wanted.items() for one in compare(texts, folder)]
        verdict = None
        if self._is_compared:
            from generator.version_runs import compare_release

            verdict = compare_release(model, self.specs, wanted[self.out].get(DOCUMENT_FILE))
        report_check(found, verdict, self.style, model.warnings)
        if stamp and not model.warnings:  # which the next run reports again
            stamp.write(folders, today)

    def write(self) -> None:
        """Write the files that differ."""
        folders, stamp = list_folders(self.specs, self.out), self._find_stamp()
        number = stamp.count_intact(folders) if stamp else None
        if number is not None:
            _report_changes({self.out: Changes((), (), number)}, self.style)
            return
        from generator.render import HEADER
        from generator.wanted import render_wanted

        cache = stamp.open_texts() if stamp else TextCache()
        model, wanted = render_wanted(self.specs, self.out, self.package, self.style, cache)
        cache.save()
        done = {folder: write(texts, folder, HEADER) for folder, texts in wanted.items()}
        if stamp and not model.warnings:
            stamp.write(folders, None if self._is_compared else ALWAYS)
        _report_changes(done, self.style, [asdict(one) for one in model.warnings])

    @property
    def _is_compared(self) -> bool:
        """Whether there is a release to compare with, or a declaration, which fits nothing without one."""
        return (self.specs / "released").is_dir() or (self.specs / "breaking.yaml").is_file()

    def _find_stamp(self) -> Stamp | None:
        """Find the stamp of the output; None without a cache, and in CI, which trusts no earlier run."""
        is_used = self.is_cached and is_believed()
        return Stamp.find(self.specs, self.out, self.package) if is_used else None


def _report_changes(done: Mapping[Path, Changes], style: Style, warnings: Sequence[object] = ()) -> None:
    written = [f"{folder}/{path}" for folder, one in done.items() for path in one.written]
    removed = [f"{folder}/{path}" for folder, one in done.items() for path in one.removed]
    unchanged = sum(one.unchanged for one in done.values())
    if style is Style.JSON:
        value = {"written": written, "removed": removed, "unchanged": unchanged}
        listed = {"warnings": warnings} if warnings else {}
        typer.echo(json.dumps(value | listed, indent=2, ensure_ascii=False))
        return
    for verb, paths in (("wrote", written), ("removed", removed)):
        for path in paths:
            typer.echo(f"{verb} {path}")
    typer.echo(f"wrote {len(written)}, removed {len(removed)}, unchanged {unchanged}")
