"""Misspelt keys of a file, which is read on as if they were spelled right: what is below them is checked."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from generator.load.advice import advise_on_word
from generator.load.spec_types import list_words
from generator.load.trees import Tree
from generator.problems import Problem, did_you_mean, nearest
from generator.spec import KINDS, SPECS

_HOLDERS: Final = frozenset(
    {"fields", "states", "indexes", "constraints", "roles", "endpoints", "columnMappings"}
)
"""Words below which most of a file is."""


class Corrected(NamedTuple):
    """A file with its keys spelled right, and what is wrong with them. ``kind``: None if it is unclear."""

    tree: Tree
    kind: str | None
    problems: tuple[Problem, ...] = ()


def correct_keys(tree: Tree, kind: str | None) -> Corrected:
    """Correct the first key, which declares the kind of a file, and those that hold most of it."""
    first: tuple[Problem, ...] = ()
    if kind is None:
        tree, kind, first = _decide_kind(tree)
    if kind is None or not isinstance(tree.plain, dict):
        return Corrected(tree, kind, first)
    spec, found, known = SPECS[kind], list(first), list_words(kind)
    for key in [one for one in tree.plain if one not in known]:
        meant = next(iter(nearest(key, known)), None)
        if meant in _HOLDERS and meant not in tree.plain:
            advice = advise_on_word((key,), tree.plain[key], spec)
            found.append(Problem.at(tree.key(key), "SPEC012", f'unknown key "{key}"{advice}'))
            tree = _rename(tree, key, meant)
    return Corrected(tree, kind, tuple(found))


def _decide_kind(tree: Tree) -> Corrected:
    words = list(tree.plain) if isinstance(tree.plain, dict) else []
    if words and words[0] in KINDS:
        return Corrected(tree, str(words[0]))
    known = ", ".join(KINDS)
    near = nearest(str(words[0]), KINDS) if words else []
    meant = [kind for kind in KINDS if kind not in words and words and {*words} <= {*list_words(kind)}]
    found = meant if len(meant) == 1 else [kind for kind in KINDS if kind in words]
    if found and not near:
        message = f'write "{found[0]}" first: the first key declares what the file contains'
    elif words:
        hint = did_you_mean(str(words[0]), KINDS, list_few=False)
        message = f'"{words[0]}" does not declare what the file contains ({known}){hint}'
    else:
        message = f"a file is a mapping whose first key declares what it contains: {known}"
    problem = Problem.at(tree.value(), "SPEC011", message)
    if len(near) != 1 or near[0] in words:
        return Corrected(tree, None, (problem,))
    return Corrected(_rename(tree, words[0], near[0]), near[0], (problem,))


def _rename(tree: Tree, key: str, meant: str) -> Tree:
    """Return a file with another key in the place of one."""

    def rename(members: Mapping[Any, Any]) -> dict[Any, Any]:
        return {meant if name == key else name: value for name, value in members.items()}

    root = tree.root
    parsed = replace(root, value=rename(root.value), children=rename(root.children), keys=rename(root.keys))
    return replace(tree, parsed=parsed, plain=parsed.value, digest="", is_known=False)
