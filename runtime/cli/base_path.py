"""From a record type to its base path, as the service's OpenAPI document tells it."""

from typing import Any, Final

from runtime.cli.api import Api, Refused
from runtime.cli.output import CommandFailed, ExitCode
from runtime.model.nearest import hint
from runtime.model.own_paths import DOCUMENT

_MOST_NAMED: Final = 20


async def find_base_path(api: Api, record_type: str | None, own_path: str | None, route: str) -> str:
    """Find the base path of a type that offers ``POST {basePath}/{route}``; ``own_path`` overrules it.

    Raises ``CommandFailed`` (usage) for an unknown type.
    """
    if own_path:
        return "/" + own_path.strip("/")
    document = await _read_document(api)
    known = {
        operations["post"]["operationId"].rpartition("_")[0]: path.removesuffix(f"/{route}")
        for path, operations in document["paths"].items()
        if path.endswith(f"/{route}") and "post" in operations
    }
    types = sorted(name[:1].upper() + name[1:] for name in known)
    if record_type is None:
        raise CommandFailed("import.type", _ask_for_type(types), ExitCode.USAGE)
    found = known.get(record_type[:1].lower() + record_type[1:])
    if found is None:
        message = f"the service cannot import the record type {record_type}{hint(record_type, types)}"
        raise CommandFailed("import.type", message, ExitCode.USAGE)
    return str(found)


def _ask_for_type(types: list[str]) -> str:
    """Say which record types there are to choose from."""
    if not types:
        return "name the record type with --type; none of this service can be imported this way"
    shown = ", ".join(types[:_MOST_NAMED]) + (" …" if len(types) > _MOST_NAMED else "")
    return f"name the record type with --type: {shown}"


async def _read_document(api: Api) -> Any:
    try:
        return await api.get(DOCUMENT)
    except Refused as refusal:
        if refusal.status != 404:
            raise
        message = (
            "the service does not publish its document: name the base path of the record type with --path"
        )
        raise CommandFailed("import.type", message, ExitCode.USAGE) from None
