"""Tables whose rows are tried in one test: what pytest does for a test takes longer than a row that is pure.

Rows that ask a service stay tests of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

import pytest

Test = Callable[..., None]

_MOST_FAILURES: Final = 20
"""What is wrong with all of hundreds of rows is wrong with the test, and may take long each time."""


def for_each_row(name: str, rows: Mapping[str, Any]) -> Callable[[Test], Test]:
    """Call a test with each row as the argument ``name``; report those that fail by their ids.

    All rows are tried, up to twenty failures.
    """

    def decorate(test: Test) -> Test:
        @wraps(test)
        def try_all(**fixtures: Any) -> None:
            failures: list[BaseException] = []
            for row_id, row in rows.items():
                try:
                    test(**fixtures, **{name: row})
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"row: {row_id}")
                    failures.append(error)
                    if len(failures) == _MOST_FAILURES:
                        break
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} rows", failures)

        signature = inspect.signature(test)
        others = [one for one in signature.parameters.values() if one.name != name]
        vars(try_all)["__signature__"] = signature.replace(parameters=others)
        return try_all

    return decorate
