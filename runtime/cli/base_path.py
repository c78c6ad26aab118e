"""From a record type to its base path, as the service's OpenAPI document tells it."""

from typing import Any

from runtime.cli.api import Api, Refused
from runtime.cli.output import CommandFailed, ExitCode
from runtime.model.nearest import hint


async def find_base_path(api: Api, record_type: str | None, own_path: str | None, route: str) -> str:
    """Find the base path of a type that offers ``POST {basePath}/{route}``; ``own_path`` overrules it.

    Raises ``CommandFailed`` (usage) for an unknown type.
    """
    if own_path:
        return "/" + own_path.strip("/")
    if record_type is None:
        raise CommandFailed("import.type", "name the record type: --type Airport", ExitCode.USAGE)
    document = await _read_document(api)
    known = {
        operations["post"]["operationId"].rpartition("_")[0]: path.removesuffix(f"/{route}")
        for path, operations in document["paths"].items()
        if path.endswith(f"/{route}") and "post" in operations
    }
    found = known.get(record_type[:1].lower() + record_type[1:])
    if found is None:
        types = [name[:1].upper() + name[1:] for name in known]
        message = f"the service cannot import the record type {record_type}{hint(record_type, types)}"
        raise CommandFailed("import.type", message, ExitCode.USAGE)
    return str(found)


async def _read_document(api: Api) -> Any:
    try:
        return await api.get("/openapi.json")
    except Refused as refusal:
        if refusal.status != 404:
            raise
        message = (
            "the service does not publish its document; say where the rows go: --path /logistics/airports"
        )
        raise CommandFailed("import.type", message, ExitCode.USAGE) from None
