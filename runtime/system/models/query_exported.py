"""QueryExported, from runtime/system/specs/gateway/query_exported.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class QueryExported(Strict):
    """Records as CSV."""

    csv: str
