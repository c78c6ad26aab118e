"""Answers that are too large for an agent to read, cut at a record: the rest follows by cursor."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import orjson

from runtime.errors import AnswerTooLarge
from runtime.model.counting import count_things
from runtime.model.tool import Tool

Run = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]

_WHOLE: Final = frozenset({"csv"})
"""Members with a limit of their own, of which a part would be taken for the whole."""

_DONE: Final = "This was done: do not call it again. query_import_rows lists the rows of an import session."
_ATTEMPTS: Final = 4
_SMALL: Final = 1024


async def limit_answer(run: Run, tool: Tool, arguments: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Run a tool; where its answer has more than ``most`` bytes, shorten it.

    A tool that reads runs again for as many rows as fit. One that writes has done so: it never runs twice,
    and its answer is no error. Records may change in between, so that the next attempt asks for fewer.
    Raises ``AnswerTooLarge`` for a single record that is too large.
    """
    answer = _end_at_cursor(tool, await run(arguments))
    for _attempt in range(_ATTEMPTS):
        if _WHOLE & answer.keys() or (size := len(orjson.dumps(answer))) <= most:
            return answer
        rows = answer.get("rows")
        fitting = _count_fitting(rows, size, most) if isinstance(rows, list) else 0
        if not tool.hints.read_only:
            return _drop_rows(answer, fitting, _DONE) if fitting else _keep_small(answer)
        if not fitting:
            raise AnswerTooLarge(f"the answer has {size} bytes, more than {most}; name the fields you need")
        if "limit" not in tool.arguments.get("properties", {}):
            return _drop_rows(answer, fitting, "Narrow the arguments.")
        answer = await run({**arguments, **_limit(arguments, fitting)})
        answer["hint"] = _explain(tool, answer, fitting, most)
    raise AnswerTooLarge(f"the answer has more than {most} bytes; ask for fewer records or fields")


def _end_at_cursor(tool: Tool, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the only page of a tool without its cursor; other tools page in their own way."""
    if not tool.is_one_page or "nextCursor" not in answer:
        return answer
    kept = {name: value for name, value in answer.items() if name != "nextCursor"}
    return {**kept, "hint": "More records match. Narrow the arguments, or go on with query_find."}


def _count_fitting(rows: list[Any], size: int, most: int) -> int:
    """Count the rows that fit, with some room for what follows them."""
    room = most - (size - len(orjson.dumps(rows))) - 1024
    for number, row in enumerate(rows):
        room -= len(orjson.dumps(row)) + 1
        if room < 0:
            return number
    return len(rows) - 1


def _limit(arguments: Mapping[str, Any], fitting: int) -> dict[str, Any]:
    page = arguments.get("page")
    return {"page": {**page, "limit": fitting}} if isinstance(page, Mapping) else {"limit": fitting}


def _explain(tool: Tool, answer: Mapping[str, Any], fitting: int, most: int) -> str:
    arguments = tool.arguments.get("properties", {})
    if "nextCursor" in answer:
        way = "send nextCursor as cursor" if "cursor" in arguments else "go on behind nextCursor"
    else:
        way = f"send skip increased by {fitting}"
    rows = count_things(fitting, "row")
    return f"Cut at {rows} to stay below {most} bytes. For more {way}, or name fewer fields."


def _drop_rows(answer: dict[str, Any], fitting: int, advice: str) -> dict[str, Any]:
    """Return the first rows of an answer that has no limit to ask for; its cursor would skip the others."""
    kept = {name: value for name, value in answer.items() if name != "nextCursor"}
    rows = answer["rows"][:fitting]
    fits = count_things(fitting, "row fits", "rows fit")
    hint = f"Only {fits}, of {len(answer['rows'])}. {advice}"
    return {**kept, "rows": rows, "rowCount": fitting, "hint": hint}


def _keep_small(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a write reports about itself, without the record that it has written."""
    kept = {name: value for name, value in answer.items() if len(orjson.dumps(value)) <= _SMALL}
    return {**kept, "hint": "This was done. What is too large to show is left out; read it with query_find."}
