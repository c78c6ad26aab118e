"""Check arguments and answers by the JSON Schemas that a tool elsewhere publishes.

Both take long: they are for threads (``run_long``), one at a time.
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from jsonschema import ValidationError

from runtime.errors import RemoteFailed, ValidationFailed
from runtime.logs import log
from runtime.mcp_client.answers import RemoteAnswer, RemoteTool
from runtime.mcp_client.schema_check import CheckTooLong, prepare_check

_MOST_VIOLATIONS: Final = 20


def check_arguments(tool: RemoteTool, arguments: Mapping[str, Any]) -> None:
    """Check the arguments for a tool.

    Raises ``ValidationFailed`` with a violation for each that is wrong, ``RemoteFailed`` for a schema that
    is none.
    """
    try:
        faults = _find_faults(tool.arguments, arguments, _MOST_VIOLATIONS)
    except CheckTooLong:
        raise RemoteFailed(f"the schema of the tool {tool.name} takes too long to check") from None
    except Exception as error:  # of a library at work on what others wrote
        raise RemoteFailed(f"the schema of the tool {tool.name} cannot be used", cause=error) from None
    if faults:
        faults.sort(key=lambda fault: list(map(str, fault.absolute_path)))
        violations = [_describe(fault) for fault in faults]
        message = f"the arguments do not fit the tool {tool.name}: {violations[0]['message']}"
        raise ValidationFailed(message, violations=violations)


def check_answer(tool: RemoteTool, answer: RemoteAnswer) -> None:
    """Check what a tool answered. Raises ``RemoteFailed`` for what differs from its schema, or is not JSON.

    The work is done by then: what takes too long to check, or has a schema that cannot be used, is passed on.
    """
    try:
        orjson.dumps(answer.content)
    except orjson.JSONEncodeError as error:
        raise RemoteFailed(f"the answer of the tool {tool.name} is not JSON", cause=error) from None
    if answer.is_error or tool.answer is None:
        return
    try:
        faults = _find_faults(tool.answer, answer.content, 1)
    except Exception as error:  # of a library at work on what others wrote
        log.warning("remote.schema_unusable", tool=tool.name, cause=repr(error)[:500])
        return
    if faults or not answer.is_structured:
        raise RemoteFailed(f"the answer of the tool {tool.name} does not fit the schema that it publishes")


def _find_faults(schema: Mapping[str, Any], value: Any, most: int) -> list[ValidationError]:
    return prepare_check(orjson.dumps(schema)).find_faults(value, most)


def _describe(fault: ValidationError) -> dict[str, str]:
    path = ".".join(map(str, fault.absolute_path))
    return {"path": path, "message": fault.message[:300]}
