"""Times the generator over a made-up corpus of 300 records (cold, again, after one edit, diff), the start of
its service and the first requests of a worker.

Run by ``make bench``. Each figure is the median of several runs of the whole command, so it holds the
start of Python. Nothing here is asserted: a figure is for a person to read.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RECORDS = 300
RUNS = 5

FIELDS = """\
  field{n}a: {{type: string, maxLength: 100, indexed: true}}
  field{n}b: {{type: integer, minimum: 0, maximum: 1000}}
  field{n}c: {{type: decimal, minimum: 0, description: An amount of something.}}
  field{n}d: {{type: datetime}}
  field{n}e: {{enum: [ONE, TWO, THREE], default: ONE}}
  field{n}f:
    list:
      sku:      {{type: string, required: true, pattern: "^[A-Z0-9-]+$"}}
      quantity: {{type: integer, minimum: 1}}
"""


def write_corpus(folder: Path) -> None:
    """A service of ``RECORDS`` records in ten areas, each referring to the one before it."""
    (folder / "service.yaml").write_text(
        "title: Corpus\nversion: 1.0.0\ndescription: Made up.\nroles:\n  user: Reads and writes.\n"
        "  admin: Everything.\nareas:\n" + "".join(f"  area{n}: Area {n}.\n" for n in range(10))
    )
    for number in range(RECORDS):
        area = folder / f"area{number % 10}"
        area.mkdir(exist_ok=True)
        lines = [f"record: Thing{number}", f"description: Thing number {number}.", "fields:"]
        lines += [FIELDS.format(n=n).rstrip() for n in range(5)]
        if number:
            lines.append(f"  before: {{reference: Thing{number - 1}}}")
        (area / f"thing{number}.yaml").write_text("\n".join(lines) + "\n")


def timed(arguments: list[str]) -> tuple[float, str]:
    """Seconds of one run, and what it said."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "generator", *arguments], check=True, capture_output=True, text=True
    )
    return time.perf_counter() - started, done.stdout.strip().splitlines()[-1]


def timed_edit(file: Path, number: int, options: list[str]) -> tuple[float, str]:
    """Rename a field, and time what it takes to generate."""
    text = file.read_text("utf-8")
    file.write_text(
        text.replace("field0a:" if not number else f"field{number}x:", f"field{number + 1}x:"), "utf-8"
    )
    return timed(["generate", *options])


START = """
import sys, time
began = time.process_time()
import generated.app
from runtime.settings import Settings
app = generated.app.create(Settings.read({"MONGODB_URI": "mongodb://127.0.0.1:9", "LOG_LEVEL": "ERROR"}))
app.build_middleware_stack()
with open("/proc/self/statm") as file:
    pages = int(file.read().split()[1])
print(f"{time.process_time() - began:.2f} s of processor time, {pages * 4 // 1024} MB")
"""


FIRST = """
import json, os, tempfile, time
from pathlib import Path
from statistics import median
import uvloop
from contestants import request, service_environment
from profiled import PASSWORD, _answer, _scoped
from generated.app import CATALOG, create
from runtime.cli.worker import settle
from runtime.identity.users.users import NewUser, create_user
from runtime.settings import Settings
from runtime.storage.embedded import run_embedded

async def measure(folder):
    app = create(Settings.read(data_folder=folder, log_level="ERROR"))
    async with app.router.lifespan_context(app):
        settle()
        await create_user(app.state.service, NewUser("clerk", PASSWORD, "acme", frozenset({"user"})))
        body = json.dumps({"userId": "clerk", "password": PASSWORD})
        answer = await _answer(app, *_scoped(request("POST", "/security/login", body=body)))
        token = json.loads(answer)["accessToken"]

        async def ask(method, path, body=""):
            started = time.process_time()
            await _answer(app, *_scoped(request(method, path, token, body)))
            return (time.process_time() - started) * 1000

        await ask("GET", CATALOG["Thing0"].base_path + "/list")
        kinds = [CATALOG[f"Thing{number}"] for number in range(10, 300, 29)]
        lists = [await ask("GET", f"{kind.base_path}/list") for kind in kinds[::2]]
        inserts = [await ask("POST", kind.base_path, json.dumps({"refName": "x"})) for kind in kinds[1::2]]
        document = await ask("GET", "/openapi/area3.json")
        print(f"list {median(lists):.0f} ms, insert {median(inserts):.0f}, document of an area {document:.0f}")

with tempfile.TemporaryDirectory() as name, run_embedded(Path(name)) as uri:
    os.environ |= service_environment(uri)
    uvloop.run(measure(Path(name)))
"""


def run_in_service(folder: Path, program: str) -> str:
    """Run a program that imports the generated service; return what it printed."""
    paths = [str(folder), str(Path(__file__).parents[2]), str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
    ).stdout.strip()


def start(folder: Path) -> str:
    """What a worker of the generated service costs until it opens its store (Linux only)."""
    return run_in_service(folder, START)


def main() -> None:
    """Print one line a measurement."""
    with tempfile.TemporaryDirectory() as folder:
        specs, out = Path(folder) / "specs", Path(folder) / "generated"
        specs.mkdir()
        write_corpus(specs)
        options = ["--specs", str(specs), "--out", str(out)]
        first, said = timed(["generate", *options])
        print(f"generate {RECORDS} records, first time: {first:.2f} s ({said})")
        for command in ("generate --no-cache", "check --no-cache", "generate", "check"):
            runs = [timed([*command.split(), *options]) for _run in range(RUNS)]
            seconds = statistics.median(run[0] for run in runs)
            print(f"{command} {RECORDS} records again: {seconds:.2f} s ({runs[-1][1]})")
        runs = [timed_edit(specs / "area3" / "thing33.yaml", run, options) for run in range(RUNS)]
        seconds = statistics.median(run[0] for run in runs)
        print(f"generate {RECORDS} records after one edit: {seconds:.2f} s ({runs[-1][1]})")
        timed(["release", "--specs", str(specs)])
        changed = specs / "area0" / "thing10.yaml"
        changed.write_text(changed.read_text().replace("maxLength: 100", "maxLength: 200"))
        options = ["--specs", str(specs), "--fail-on", "breaking", "--show", "breaking"]
        declared = "breaking:\n  - {rule: '*', at: '*', date: 2026-01-01, reason: It is measured.}\n"
        (specs / "breaking.yaml").write_text(declared)
        runs = [timed(["diff", *options]) for _run in range(RUNS)]
        seconds = statistics.median(run[0] for run in runs)
        print(f"diff of {RECORDS} records against the last release: {seconds:.2f} s ({runs[-1][1]})")
        start(Path(folder))  # compiles the modules
        print(f"start of a worker with {RECORDS} records: {start(Path(folder))}")
        first = run_in_service(Path(folder), FIRST)
        print(f"processor time of the first requests of record types with {RECORDS} records: {first}")


if __name__ == "__main__":
    main()
