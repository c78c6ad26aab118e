"""Generate clients of the published document, type-check them, and call a running service with each.

``make clients`` runs it with the Python of ``.venv-clients``. It needs npm for half of the generators; without it
they are skipped, and the run says so. Everything is written to a scratch folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCUMENT = ROOT / "generated" / "openapi.json"
MOST_WARNINGS = 20


class Clients:
    """The generators, in a folder that holds what they write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scripts = Path(sys.executable).parent

    def run(self, *command: str | Path, **environment: str) -> str:
        """Run a command in the folder; return what it wrote. Raises ``CalledProcessError``."""
        path = os.pathsep.join([str(self.scripts), os.environ["PATH"]])
        env = os.environ | {"PATH": path, "REDOCLY_TELEMETRY": "off"} | environment
        done = subprocess.run(
            [*map(str, command)], cwd=self.folder, env=env, check=False, capture_output=True, text=True
        )
        if done.returncode:
            print(done.stdout[-3000:], done.stderr[-3000:], sep="\n")
            done.check_returncode()
        return done.stdout

    def npx(self, *command: str | Path) -> str:
        """Run a tool that npm installed."""
        return self.run("npx", "--no-install", *command)

    def generate_python(self) -> None:
        """Write the clients of openapi-python-client and openapi-generator."""
        name = "openapi_python_client_out"
        self.run(
            "openapi-python-client", "generate", "--path", DOCUMENT, "--output-path", name, "--meta", "none"
        )
        self.run("openapi-generator-cli", "generate", "-g", "python", "-i", DOCUMENT, "-o", "python")
        shutil.move(self.folder / "python" / "openapi_client", self.folder / "openapi_client")

    def check_python(self) -> None:
        """Type-check both, and the programs that use them; the fixed client class of one has its own errors."""
        programs = sorted((self.folder / "programs").glob("*.py"))
        packages = ["openapi_client", *(f"openapi_python_client_out/{name}" for name in ("api", "models"))]
        self.run(
            "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--explicit-package-bases",
            *packages, *programs,
        )  # fmt: skip

    def generate_typescript(self) -> None:
        """Write the clients of openapi-typescript, hey-api, orval and openapi-generator."""
        self.npx(  # a member with a default may be left out; by default this tool requires it
            "openapi-typescript",
            DOCUMENT,
            "-o",
            "openapi-typescript/schema.ts",
            "--default-non-nullable=false",
        )
        self.npx("openapi-ts", "-i", DOCUMENT, "-o", "hey-api", "-c", "@hey-api/client-fetch")
        self.npx(
            "orval", "--input", DOCUMENT, "--output", "orval/api.ts", "--client", "fetch", "--mode", "single"
        )
        folder = "openapi-generator-typescript"
        self.run("openapi-generator-cli", "generate", "-g", "typescript-fetch", "-i", DOCUMENT, "-o", folder)

    def check_typescript(self) -> None:
        """Type-check them, and make programs of one file each."""
        self.npx("tsc", "-p", "tsconfig.json")
        for program in self.typescript_programs():
            target = f"--outfile={program.stem}.mjs"
            self.npx("esbuild", program, "--bundle", "--format=esm", "--platform=node", target)

    def typescript_programs(self) -> list[Path]:
        """The programs, without what they share."""
        return [one for one in sorted((self.folder / "programs").glob("*.ts")) if one.stem != "scenario"]

    def lint(self) -> None:
        """Raise ``AssertionError`` where the linters find errors or too many warnings."""
        found = json.loads(self.npx("redocly", "lint", DOCUMENT, "--format=json"))["totals"]
        assert found["errors"] == 0, found
        assert found["warnings"] <= MOST_WARNINGS, found
        text = self.npx("spectral", "lint", DOCUMENT, "-r", ".spectral.yaml", "-f", "json", "--quiet")
        assert len(json.loads(text.partition("\n\n")[0] or "[]")) <= MOST_WARNINGS, text

    def call(self, facts: dict[str, str]) -> None:
        """Run every program against the service."""
        for number, program in enumerate(sorted((self.folder / "programs").glob("*.py"))):
            self.run(
                sys.executable, program, **facts, SERVICE_REF_NAME=f"PY-{number}", PYTHONPATH=str(self.folder)
            )
            print(f"  {program.name}: works")
        for number, program in enumerate(sorted(self.folder.glob("*.mjs"))):
            self.run("node", program, **facts, SERVICE_REF_NAME=f"TS-{number}")
            print(f"  {program.stem}.ts: works")


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """Run the service with its demo tenants; yield what the programs read from their environment."""
    command = [ROOT / ".venv/bin/recordsmith", "serve", "--demo", "--port", "0", "--json", "--data", folder]
    with subprocess.Popen([*map(str, command)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            facts = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            user = facts["demoUsers"][0]
            yield {
                "SERVICE_URL": facts["url"],
                "SERVICE_USER": user["userId"],
                "SERVICE_PASSWORD": user["password"],
            }
        finally:
            process.terminate()


def main() -> None:
    """Run every step and say which one it is."""
    has_npm = shutil.which("npm") is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(HERE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        clients = Clients(folder)
        steps: list[Callable[[], object]] = [clients.generate_python, clients.check_python]
        if has_npm:
            install = ("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
            steps += [lambda: clients.run(*install), clients.lint]
            steps += [clients.generate_typescript, clients.check_typescript]
        else:
            print("skipped: the TypeScript clients and the linters, since npm is not on this machine")
        for step in steps:
            print(getattr(step, "__name__", "step").replace("<lambda>", "npm install"), flush=True)
            step()
        with serving(folder / "data") as facts:
            clients.call(facts)


if __name__ == "__main__":
    main()
