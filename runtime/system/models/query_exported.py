"""QueryExported, from runtime/system/specs/gateway/query_exported.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryExported(Strict):
    """Records as CSV."""

    csv: Annotated[str, Field(description="The whole file.")]
