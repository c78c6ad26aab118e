"""Asks a resolver of the application for the value of a cell, and keeps its faults to the row."""

from collections.abc import Mapping

from runtime.errors import ServiceError
from runtime.logs import log
from runtime.seams import ImportContext, Resolution, RowValueResolver
from runtime.storage.wire import plain_text


class Resolvers:
    """The resolvers of one file. The first fault of each is logged with its cause; rows only name it."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    async def resolve(
        self,
        name: str,
        resolver: RowValueResolver,
        text: str | None,
        row: Mapping[str, str],
        context: ImportContext,
    ) -> Resolution:
        """Return the answer, its value as text; an error of the row where the resolver fails.

        Raises what the service itself raises as a fault, such as ``StoreUnavailable``: the rows after this
        one would fail the same way.
        """
        try:
            answer = await resolver(text, row, context)
            if not isinstance(answer, Resolution):
                raise TypeError(f"the resolver returned {type(answer).__name__}, not a Resolution")
            return Resolution.success(plain_text(answer.value)) if answer.outcome == "success" else answer
        except Exception as error:  # whatever the application's code raises is about this row alone
            if isinstance(error, ServiceError) and error.status >= 500:
                raise
            if name not in self._reported:
                self._reported.add(name)
                log.error("import.resolver_fault", resolver=name, row=context.row_number, exc_info=error)
            return Resolution.error(
                f"the resolver of {name} failed on row {context.row_number}; it was logged"
            )
