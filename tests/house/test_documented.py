"""The tables of error codes and settings match the code, the code map of the runtime is complete, and links work.

``python tests/house/test_documented.py`` prints both tables as they should be in runtime/contract/README.md.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from generator.operations import BY_KEY
from generator.types import SCALARS
from runtime.errors import leaves
from runtime.filter.syntax import Operator
from runtime.settings import AGENT_TENANT, MCP_CLIENT, Family, Settings

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "runtime" / "contract" / "README.md"


def error_rows() -> list[str]:
    """Return one row for each error class, by status and code."""
    ordered = sorted(leaves(), key=lambda leaf: (leaf.status, leaf.code))
    return [f"| {leaf.status} | `{leaf.code}` | {leaf.title} |" for leaf in ordered]


def setting_rows() -> list[str]:
    """Return one row for each setting: name, default as ``python -m runtime.settings`` prints it, help."""
    defaults = Settings.model_validate({})
    return [
        f"| `{row.validation_alias}` | {_shown(getattr(defaults, attribute))} | {row.description} |"
        for attribute, row in Settings.model_fields.items()
    ]


def _shown(value: object) -> str:
    if value is None or value == "":
        return "–"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def rows_under(readme: str, heading: str) -> list[str]:
    """Return the rows of the table in a section, without its head and with whitespace normalized."""
    section = re.search(rf"^#+ {heading}\b.*?$(.*?)(?=^#|\Z)", readme, re.MULTILINE | re.DOTALL)
    lines = section[1].splitlines() if section else []
    table = [" ".join(line.split()) for line in lines if line.startswith("|")]
    return table[2:]


def difference(shown: list[str], meant: list[str]) -> list[str]:
    """Return the rows to add (+) and to remove (-)."""
    added = [f"+ {row}" for row in meant if row not in shown]
    return added + [f"- {row}" for row in shown if row not in meant]


def family_rows(family: Family) -> list[str]:
    """Return one row for each setting of a family, such as those of an MCP server elsewhere."""
    opened = {f"{word}.<name>": text for word, text in family.open_words.items()}
    return [f"| `{word}` | {text} |" for word, text in {**family.words, **opened}.items()]


TABLES = (
    ("Errors", error_rows()),
    ("Settings", setting_rows()),
    ("Settings of MCP servers elsewhere", family_rows(MCP_CLIENT)),
    ("Settings of tools in a realm", family_rows(AGENT_TENANT)),
)


@pytest.mark.parametrize(("heading", "rows"), TABLES)
def test_the_reference_has_the_whole_table(heading: str, rows: list[str]) -> None:
    shown = rows_under(REFERENCE.read_text("utf-8"), heading)
    changes = "\n".join(difference(shown, rows))
    assert changes == "", f"{REFERENCE.relative_to(ROOT)}, {heading}: make these changes\n{changes}"
    assert shown == rows, "the rows are in another order than in the code"


def test_the_code_map_names_every_module_of_the_runtime() -> None:
    text = (ROOT / "runtime" / "README.md").read_text("utf-8")
    names = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / "runtime").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    missing = {name for name in names - {"__init__.py"} if f"`{name}`" not in text}
    assert missing == set(), "describe these modules in runtime/README.md, with the name in backticks"


@pytest.mark.parametrize(
    ("page", "words", "use"),
    [
        pytest.param("specs/README.md", SCALARS, r"\b{}\b", id="field types"),
        pytest.param("specs/README.md", tuple(BY_KEY), r"\b{}\b", id="operations"),
        pytest.param("runtime/filter/README.md", tuple(Operator), r"\w{}\w", id="operators of filters"),
    ],
)
def test_the_words_of_a_language_are_in_its_readme(page: str, words: tuple[str, ...], use: str) -> None:
    code = " ".join(re.findall(r"`([^`\n]+)`", (ROOT / page).read_text("utf-8")))
    missing = [word for word in words if not re.search(use.format(re.escape(word)), code)]
    assert missing == [], f"describe these in a table of {page}"


def test_every_setting_has_an_effect() -> None:
    tables = ROOT / "runtime" / "settings"
    modules = [path for path in (ROOT / "runtime").rglob("*.py") if tables not in path.parents]
    code = "\n".join(path.read_text("utf-8") for path in modules)
    members = "\n".join(path.read_text("utf-8") for path in tables.glob("*.py"))
    read = {*re.findall(r"(?<=settings\.)\w+", code)}
    unused = [
        str(row.validation_alias)
        for name, row in Settings.model_fields.items()
        if name not in read and f"self.{name}" not in members
    ]
    assert unused == [], "nothing in runtime reads these settings"


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, in the form that GitHub gives them."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("folder", ["", "specs", "generator", "runtime", "tests"])
def test_links_between_pages_lead_somewhere(folder: str) -> None:
    found = (ROOT / folder).rglob("*.md") if folder else ROOT.glob("*.md")
    pages = (page for page in found if "node_modules" not in page.parts)
    broken = []
    for page in pages:
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text("utf-8")):
            other = page.parent / target if target else page
            if not other.exists() or (anchor and anchor not in anchors(other.read_text("utf-8"))):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{anchor}")
    assert broken == []


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
