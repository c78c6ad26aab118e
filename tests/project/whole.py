"""``make faults``: a newcomer's way, with the package index: install, init, ``.ci/run``, an upgrade, an image.

``python tests/project/whole.py``

What the tests leave out because it takes minutes: ``make setup`` from the index, mypy, a newer version of the
package, and the steps of the Dockerfile (without Docker), which install the project itself.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.project.installed import build_wheel, run

NEWER = "0.2.0"


def install(folder: Path, wheel: Path) -> Path:
    """Create an environment with the wheel, from the index; its Python."""
    run(sys.executable, "-m", "venv", str(folder))
    run(str(folder / "bin" / "pip"), "install", "--quiet", str(wheel))
    return folder / "bin" / "python"


def make_newer(wheel: Path, target: Path) -> None:
    """Write the same wheel as a newer version, which generates other code."""
    unpacked = target / "unpacked"
    shutil.unpack_archive(wheel, unpacked, "zip")
    template = unpacked / "recordsmith" / "generator" / "templates" / "package.jinja"
    template.write_text(template.read_text("utf-8") + "# of a newer version\n", "utf-8")
    info = next(unpacked.glob("*.dist-info"))
    facts = info / "METADATA"
    facts.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {NEWER}", facts.read_text("utf-8")), "utf-8")
    info.rename(unpacked / f"recordsmith-{NEWER}.dist-info")
    packed = shutil.make_archive(str(target / "packed"), "zip", unpacked)
    shutil.rmtree(unpacked)
    Path(packed).rename(target / f"recordsmith-{NEWER}-py3-none-any.whl")


def main() -> None:
    """Go the whole way; a failing step ends it with what it said."""
    with tempfile.TemporaryDirectory(prefix="recordsmith-whole-") as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        python = install(folder / "tool", wheel)
        run(str(python), "-m", "recordsmith", "init", str(folder / "shop"))
        shop = folder / "shop"
        run("make", "generate", cwd=shop)
        print(run(".ci/run", cwd=shop)[-200:])

        make_newer(wheel, shop / "wheels")
        newer = ("--find-links", "wheels", "--no-deps", f"recordsmith=={NEWER}")
        run(".venv/bin/pip", "install", "--quiet", *newer, cwd=shop)
        said = subprocess.run(["make", "check"], cwd=shop, capture_output=True, text=True, check=False).stdout
        assert "or this version of recordsmith, say otherwise" in said, said
        raised = re.sub(r"~=[\d.]+", f"~={NEWER}", (shop / "pyproject.toml").read_text("utf-8"))
        (shop / "pyproject.toml").write_text(raised, "utf-8")
        run("make", "upgrade", cwd=shop)
        assert f"recordsmith=={NEWER}\n" in (shop / "requirements.lock").read_text("utf-8")
        assert "# of a newer version" in (shop / "generated" / "__init__.py").read_text("utf-8")
        print("upgraded; ", run("make", "check", cwd=shop)[-60:])

        image, code = folder / "image", folder / "code"
        run(sys.executable, "-m", "venv", "--without-pip", str(image))
        facts = tomllib.loads((shop / "pyproject.toml").read_text("utf-8"))["project"]
        locked = ("--find-links", "wheels", "--constraint", "requirements.lock")
        pip = (sys.executable, "-m", "pip", "--quiet", "--python", str(image), "install", *locked)
        run(*pip, *facts["dependencies"], cwd=shop)
        run(*pip, "--no-deps", "--target", str(code), ".", cwd=shop)
        command = str(image / "bin" / "recordsmith")
        loaded = f"import sys; sys.path.append({str(code)!r}); import generated.app, shop.handlers; "
        loaded += "print(generated.app.DOCUMENT.exists())"
        assert run(str(image / "bin" / "python"), "-c", loaded, cwd=folder) == "True\n"
        print("image: ", run(command, "--version", cwd=folder))


if __name__ == "__main__":
    main()
