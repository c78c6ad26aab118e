"""What a row of the table of standard operations says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StandardOperation:
    """One standard operation.

    ``key`` is the word used in ``endpoints: [list, save]`` of a record. ``arguments`` are the parameters of
    the route function after ``call``: (Python name, type in generated code). ``{input}`` and ``{model}``
    stand for the classes of the record. ``answer`` is the type in ``Json[…]``, ``Stream`` for a file of
    ``file_type``, or ``Events``. ``successes`` maps statuses to their descriptions. ``only_with`` is a key of
    ``NEEDED``: only record types with that feature have the operation. ``description`` is one or two
    sentences for the OpenAPI document. ``module`` is the package of the function.
    ``line_errors``: 400 and 500 are one line of text instead of a problem. ``large_body``: callers that may
    do one of these actions may send megabytes, others 64 KiB; the operation checks which of them it needs.
    ``is_bulk``: the body holds many records.
    """

    key: str
    method: str
    path: str
    function: str
    operation: str
    action: str
    summary: str
    description: str
    arguments: tuple[tuple[str, str], ...]
    answer: str
    successes: tuple[tuple[int, str], ...]
    errors: tuple[int, ...]
    only_with: str = ""
    module: str = "records"
    file_type: str = "text/csv"
    line_errors: bool = False
    large_body: tuple[str, ...] = ()
    is_bulk: bool = False

    @property
    def facts(self) -> dict[str, str | tuple[str, ...] | bool]:
        """Arguments of the route's decorator (``runtime.http.facts``), those that apply."""
        names = {name for name, _type in self.arguments}
        facts = {
            "terms": "terms" in names and "terms",
            "upload": "file" in names and "file",
            "streams": self.answer == FILE_ANSWER,
            "watches": self.answer == EVENTS_ANSWER,
            "errors": self.line_errors and "line",
            "large_body": self.large_body,
            "is_bulk": self.is_bulk,
        }
        return {name: value for name, value in facts.items() if value}


FILE_ANSWER = "Stream"
"""The ``answer`` of operations that return a file."""

EVENTS_ANSWER = "Events"
"""The ``answer`` of operations that return events without end, or a page of them."""

ALWAYS = (400, 401, 403, 503)
"""The error statuses that every operation has."""

NEEDED = {
    "revisions": "audited: true, which keep revisions",
    "states": "a field that has states",
    "changes": "changes: true, which show what is written",
    "archive": "onDelete: archive, which keep deleted records",
    "ontology": "ontology: true, which are connected with others",
}
"""What a record type needs for some operations, as shown in messages."""
