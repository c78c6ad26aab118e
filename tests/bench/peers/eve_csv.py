"""A renderer of CSV for Eve, as its documentation of custom renderers tells: the items of one page.

Eve has no export: a client asks for page after page of the resource, with a projection and ``Accept: text/csv``.
"""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from eve.render import Renderer


class CSVRenderer(Renderer):
    """The columns of the bench; objects are stepped into."""

    mime = ("text/csv",)

    def render(self, data: dict[str, Any]) -> str:
        """One row an item."""
        out = StringIO()
        writer = csv.writer(out)
        for row in data["_items"]:
            writer.writerow(
                (
                    row["refName"],
                    row["status"],
                    row["customer"]["entityRefName"],
                    row["origin"]["entityRefName"],
                    row["destination"]["entityRefName"],
                    row.get("weightKg"),
                    row["departsAt"].isoformat(timespec="milliseconds"),
                    row.get("notes"),
                )
            )
        return out.getvalue()
