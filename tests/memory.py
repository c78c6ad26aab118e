"""What a generator that runs again in one process need not compute again: functions of their arguments alone.

Each run of a command in tests reads the service's own specifications, has the library write the same types and
describes the same words to editors and the same bodies to callers: a third of its time. Where an earlier run had the same arguments, its result
is used. The command itself runs once a process, and has its own cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cache, lru_cache
from typing import Any

import pytest

from generator import editor_schemas, type_library
from generator.load import trees
from generator.openapi import parts

_render_schemas = editor_schemas.render_editor_schemas
_write_types = type_library.write_types

_read = lru_cache(1000)(trees.read_yaml)
_render = lru_cache(100)(_render_schemas)
_answers = cache(parts.answer_schemas)
_types: dict[tuple[Callable[..., Any], str], tuple[list[str], dict[str, str]]] = {}


def _write_once(schemas: Sequence[dict[str, Any]]) -> tuple[list[str], dict[str, str]]:
    """Write types that no run has written, with the library or what a test has put in its place."""
    key = type_library.generate, repr(schemas)
    if key not in _types:
        _types[key] = _write_types(schemas)
    return _types[key]


@contextmanager
def remember_pure_results() -> Iterator[None]:
    """Use results of earlier runs in this process, until the end of the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "read_yaml", _read)
        patch.setattr(editor_schemas, "render_editor_schemas", _render)
        patch.setattr(type_library, "write_types", _write_once)
        patch.setattr(parts, "answer_schemas", lambda: deepcopy(_answers()))
        yield
