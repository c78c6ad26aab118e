"""How a write takes effect: its headers and ``dryRun`` → ``Terms``."""

import re
from typing import Annotated, Final
from urllib.parse import parse_qsl

from fastapi import Depends, Header, Query, Request

from runtime.contract.headers import ENTITY_TAGS, MOST_KEY
from runtime.errors import InvalidParameter
from runtime.http.calling import single_header
from runtime.records.document.terms import Terms

_IfMatch = Annotated[str | None, Header(alias="If-Match")]
_IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match")]
_Prefer = Annotated[str | None, Header(alias="Prefer")]
_Key = Annotated[str | None, Header(alias="Idempotency-Key")]
_DryRun = Annotated[bool, Query(alias="dryRun")]

_TAGS: Final = re.compile(ENTITY_TAGS)


async def read_write_terms(
    request: Request, _expected: _IfMatch = None, _unless: _IfNoneMatch = None, _prefer: _Prefer = None,
    _key: _Key = None, _dry_run: _DryRun = False,
) -> Terms:  # fmt: skip
    """Read the terms of a write of one record. Raises ``InvalidParameter``."""
    return Terms(
        expected=single_header(request, "if-match"),
        unless=_read_unless(request),
        is_dry_run=_is_dry_run(request),
        is_minimal=_prefers_minimal(request),
        key=_read_key(request),
    )


async def read_bulk_terms(request: Request, _key: _Key = None, _dry_run: _DryRun = False) -> Terms:
    """Read the terms of a write of many records. Raises ``InvalidParameter``."""
    return Terms(is_dry_run=_is_dry_run(request), key=_read_key(request))


async def read_key_terms(request: Request, _key: _Key = None) -> Terms:
    """Read the terms of an upload or a commit. Raises ``InvalidParameter``."""
    return Terms(key=_read_key(request))


WriteTerms = Annotated[Terms, Depends(read_write_terms)]
BulkTerms = Annotated[Terms, Depends(read_bulk_terms)]
KeyTerms = Annotated[Terms, Depends(read_key_terms)]


def _is_dry_run(request: Request) -> bool:
    """Read ``dryRun`` strictly: a misspelled value must not write. The route refuses repeated names."""
    if not (query := request.scope["query_string"].decode("latin-1")):
        return False
    text = dict(parse_qsl(query, keep_blank_values=True)).get("dryRun")
    if text not in (None, "true", "false"):
        raise InvalidParameter("dryRun must be true or false", parameter="dryRun")
    return text == "true"


def _prefers_minimal(request: Request) -> bool:
    """Return whether the caller prefers a minimal answer. Unknown preferences are ignored (RFC 7240)."""
    sent = [value.decode("latin-1") for name, value in request.scope["headers"] if name == b"prefer"]
    if not sent:
        return False
    wishes = ",".join(sent).replace('"', "").lower().split(",")
    return "return=minimal" in (wish.partition(";")[0].replace(" ", "") for wish in wishes)


def _read_unless(request: Request) -> str | None:
    """Read ``If-None-Match`` strictly: a write must not go on because its condition was not understood."""
    unless = single_header(request, "if-none-match")
    if unless is not None and not _TAGS.fullmatch(unless):
        raise InvalidParameter(
            'If-None-Match must be *, or entity tags in quotes, such as "3"', parameter="If-None-Match"
        )
    return unless


def _read_key(request: Request) -> str | None:
    key = single_header(request, "idempotency-key")
    if key is not None and not (0 < len(key) <= MOST_KEY and key.isascii() and key.isprintable()):
        raise InvalidParameter(
            f"Idempotency-Key must be 1 to {MOST_KEY} printable ASCII characters",
            parameter="Idempotency-Key",
        )
    return key
