"""Reading query parameters strictly: nothing unknown, nothing twice."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import Body, Header, Path, Query, Request
from pydantic import AfterValidator, BaseModel, ValidationError

from runtime.contract.changes import ChangesParameters
from runtime.contract.csv import ExportParameters
from runtime.contract.history import HistoryParameters
from runtime.contract.imports import ImportParameters, ProfileParameters, RowsParameters
from runtime.contract.ontology import ConnectedParameters, EdgeParameters
from runtime.contract.pages import CountParameters, ExpandText, ListParameters, ReferenceParameters
from runtime.contract.writes import RecordPatch, SetParameters
from runtime.errors import InvalidParameter, UnknownParameter
from runtime.model.nearest import did_you_mean, hint_or_all
from runtime.model.problems import invalid_parameter
from runtime.model.scalars import spell_id

P = TypeVar("P", bound=BaseModel)

ListQuery = Annotated[ListParameters, Query()]
ChangesQuery = Annotated[ChangesParameters, Query()]
CountQuery = Annotated[CountParameters, Query()]
ConnectedQuery = Annotated[ConnectedParameters, Query()]
EdgeQuery = Annotated[EdgeParameters, Query()]
HistoryQuery = Annotated[HistoryParameters, Query()]
ReferenceQuery = Annotated[ReferenceParameters, Query()]
SetQuery = Annotated[SetParameters, Query()]
ExportQuery = Annotated[ExportParameters, Query()]
ImportQuery = Annotated[ImportParameters, Query()]
ImportRowsQuery = Annotated[RowsParameters, Query()]
ProfileQuery = Annotated[ProfileParameters, Query()]
MergePatch = Annotated[RecordPatch, Body(media_type="application/merge-patch+json")]
RecordId = Annotated[str, AfterValidator(spell_id), Path(alias="id")]
SessionId = Annotated[str, AfterValidator(spell_id), Path(alias="sessionId")]
RefName = Annotated[str, Path(alias="refName")]
Expand = Annotated[ExpandText | None, Query(alias="expand")]
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match")]

_MOST_PARAMETERS = 100

_OTHER_WORDS = {
    "offset": "skip",  # as the answers of lists say
    "order": "sort",
    "orderby": "sort",
    "pagesize": "limit",
    "size": "limit",
    "fields": "projection",
    "q": "filter",
    "query": "filter",
}
"""What callers of other services may call a parameter."""

_CUT = frozenset({"filter", "pairs"})
"""Parameters whose values have colons, and which an & in a value ends."""


def query_values(request: Request, known: Mapping[str, bool]) -> dict[str, Any]:
    """Parse the query string into texts, or lists of them. ``known``: the names, and whether each is a list.

    Raises ``UnknownParameter`` and ``InvalidParameter``, which name the parameter.
    """
    raw = request.scope["query_string"]
    if not raw:
        return {}
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
        )
    except (ValueError, UnicodeDecodeError):
        raise InvalidParameter("the query string is not percent-encoded UTF-8, or far too long") from None
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name not in known:
            raise _build_unknown(name, known, values)
        if known[name]:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise InvalidParameter(f"{name} came more than once; send it once", parameter=name)
        else:
            values[name] = value
    return values


def refuse_parameters(request: Request) -> None:
    """Refuse a request with any query parameter, for what takes none. Raises as ``query_values`` does."""
    query_values(request, {})


def _build_unknown(name: str, known: Collection[str], sent: Collection[str]) -> UnknownParameter:
    other = _OTHER_WORDS.get(name.lower())
    if not known:
        near = ": this path takes no query parameters"
    elif ":" in name and not _CUT.isdisjoint(sent):
        near = "; write & in a value as %26"
    else:
        near = did_you_mean([other]) if other and other in known else hint_or_all(name, known, "parameter")
    return UnknownParameter(f"unknown parameter {name[:80]}{near}", parameter=name[:80])


def query_model(model: type[P], values: dict[str, Any]) -> P:
    """Validate query values as their class. Raises ``InvalidParameter`` naming the first bad one."""
    try:
        return model.model_validate_strings(values)
    except ValidationError as error:
        raise invalid_parameter(error) from None
