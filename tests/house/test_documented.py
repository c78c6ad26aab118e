"""The tables of the top README say exactly what the code says (error codes, settings), and the code map of
the runtime leaves no module out.

``python tests/house/test_documented.py`` prints both tables as they should stand there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from runtime.errors import leaves
from runtime.settings import Settings

README = Path(__file__).parents[2] / "README.md"


def error_rows() -> list[str]:
    """One row a leaf, by status and code."""
    ordered = sorted(leaves(), key=lambda leaf: (leaf.status, leaf.code))
    return [f"| {leaf.status} | `{leaf.code}` | {leaf.title} |" for leaf in ordered]


def setting_rows() -> list[str]:
    """One row a setting: name, default, help. Defaults as ``python -m runtime.settings`` prints them."""
    defaults = Settings.read({})
    return [
        f"| `{row.validation_alias}` | {_shown(getattr(defaults, attribute))} | {row.description} |"
        for attribute, row in Settings.model_fields.items()
    ]


def _shown(value: object) -> str:
    if value is None or value == "":
        return "–"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def rows_under(readme: str, heading: str) -> list[str]:
    """The rows of the table in the section ``heading``, without its head; spaces do not matter."""
    section = re.search(rf"^#+ {heading}\b.*?$(.*?)(?=^#|\Z)", readme, re.MULTILINE | re.DOTALL)
    lines = section[1].splitlines() if section else []
    table = [" ".join(line.split()) for line in lines if line.startswith("|")]
    return table[2:]


def difference(shown: list[str], meant: list[str]) -> list[str]:
    """What has to be added (+) and taken out (-)."""
    added = [f"+ {row}" for row in meant if row not in shown]
    return added + [f"- {row}" for row in shown if row not in meant]


@pytest.mark.parametrize(("heading", "rows"), [("Errors", error_rows()), ("Settings", setting_rows())])
def test_the_readme_has_the_whole_table(heading: str, rows: list[str]) -> None:
    assert README.exists(), "README.md is missing; run this file to print its tables"
    shown = rows_under(README.read_text("utf-8"), heading)
    assert difference(shown, rows) == [], "\n".join(difference(shown, rows))
    assert shown == rows, "the rows stand in another order"


def test_the_code_map_names_every_module_of_the_runtime() -> None:
    text = (README.parent / "runtime" / "README.md").read_text("utf-8")
    names = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (README.parent / "runtime").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert {name for name in names - {"__init__.py"} if f"`{name}`" not in text} == set()


class TestTheComparison:
    README = """
# Title
## Errors
Some words.

| code | status | title |
|---|---|---|
| `a.b`  | 400 | A |
| `c.d` | 404 | C |

## Settings
| name | default | help |
"""

    def test_finds_the_rows_of_a_section(self) -> None:
        assert rows_under(self.README, "Errors") == ["| `a.b` | 400 | A |", "| `c.d` | 404 | C |"]
        assert rows_under(self.README, "Settings") == []
        assert rows_under(self.README, "Nothing") == []

    def test_names_what_is_missing_and_what_is_too_much(self) -> None:
        assert difference(["x", "y"], ["y", "z"]) == ["+ z", "- x"]
        assert difference(["x"], ["x"]) == []


if __name__ == "__main__":
    head = "| {} | {} | {} |\n|---|---|---|"
    sys.stdout.write("\n".join([head.format("status", "code", "title"), *error_rows(), ""]) + "\n")
    sys.stdout.write("\n".join([head.format("setting", "default", "what it is"), *setting_rows()]) + "\n")
