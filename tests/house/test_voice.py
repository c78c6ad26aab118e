"""Plain technical English: words that the code and its pages do not use, since another one says it better."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.house.trees import ROOT, parse_all, read_text

WORDS = re.compile(
    r"\b(are none|told|tells of|speaks of|anew|whoever|held against|hangs on|as singly|mend(s|ed)?|rehearsal|"
    r"stands in|lies in|beside|look-ups?|log-ins?|comma list|spec [123] §|decisions §|spec §)\b",
    re.IGNORECASE,
)
ON_THE_WIRE = {"runtime/cli/references.py": ("mended",)}
"""Members that scripts read."""

FOLDERS = ("runtime", "generator", "specs", "README.md")
TEXTS = (".py", ".md", ".yaml", ".jinja")


def found_in(text: str, allowed: tuple[str, ...] = ()) -> list[str]:
    """``line: word`` of each word that has a better one."""
    return [
        f"{number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for match in WORDS.finditer(line)
        if not any(word in line for word in allowed)
    ]


def test_no_text_uses_a_word_that_has_a_better_one() -> None:
    listed = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    paths = [name for name in listed if name.endswith(TEXTS)]
    assert len(paths) > 400
    found = {
        name: words
        for name in paths
        if (words := found_in(read_text(ROOT / name), ON_THE_WIRE.get(name, ())))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("They are told.", ["1: told"]),
        ("One.\nWhoever asks, mends.", ["2: Whoever", "2: mends"]),
        ("A lookup beside another", ["1: beside"]),
        ("Returned, besides, and recommended", []),
        ("See decisions §3", ["1: decisions §"]),
    ],
)
def test_the_words_are_found(text: str, words: list[str]) -> None:
    assert found_in(text) == words


VERBS = frozenset(
    re.findall(
        r"\w+",
        """
        abandon abort accept act add aggregate analyse analyze announce answer apply ask assemble assign attach attempt authenticate
        await beat become begin build call cancel catch change check choose clear close commit compare compile complete compress connect
        continue convert copy count create decide delete describe disable discard drop embed enable end enter erase examine exchange execute expand expect explain
        export fetch fill find finish follow forget get grant group handle hash hold identify import insert issue iterate join keep
        let limit list load log look manage map mint narrow note open pass patch pause ping plan plant post prepare
        publish read receive record refresh release remove rename render renew repair repeat replace report
        request require reserve reset resolve restore resume retire retry revoke rewrite rotate run sample
        save seed send set settle share sign start step store stream subscribe take touch transact update validate verify wait
        undo want watch withdraw work write yield
        """,
    )
)
"""Verbs in their base form. A noun or a participle alone is not one, nor is a word that only could be one."""

GIVEN_NAMES = {
    "aclose": "as ``contextlib.aclosing`` calls it",
    "bulk_write": "as PyMongo calls it",
    "sleep": "as httpcore2 calls it",
    "startup": "as uvicorn calls it",
    "to_list": "as PyMongo calls it",
    "shutdown": "as uvicorn calls it",
}


def names_without_a_verb(tree: ast.AST) -> Iterator[str]:
    """Yield ``line: name`` of each asynchronous function, methods of protocols included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("__"):
            first = node.name.lstrip("_").partition("_")[0]
            if first not in VERBS and node.name not in GIVEN_NAMES:
                yield f"{node.lineno}: {node.name}"


def test_what_is_awaited_begins_with_a_verb() -> None:
    trees = parse_all("runtime", "generator")
    assert len(trees) > 400
    found = {path: names for path, tree in trees.items() if (names := list(names_without_a_verb(tree)))}
    assert found == {}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("async def read_rows(): ...", []),
        ("async def _read(): ...", []),
        ("class Source(Protocol):\n    async def rows(self): ...", ["2: rows"]),
        ("def outer():\n    async def opened(): ...", ["2: opened"]),
        ("def etag(): ...", []),
        ("async def __aenter__(self): ...", []),
    ],
)
def test_names_without_a_verb_are_found(source: str, names: list[str]) -> None:
    assert list(names_without_a_verb(ast.parse(source))) == names
