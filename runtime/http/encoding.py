"""Content codings of request bodies: none is decoded here, so that no small body becomes a large one."""

from fastapi import Request

from runtime.errors import UnsupportedMediaType

_NONE = "identity"


def refuse_encoding(request: Request) -> None:
    """Raise ``UnsupportedMediaType`` for a body that is compressed or otherwise encoded."""
    codings = ",".join(request.headers.getlist("content-encoding"))
    if codings.strip().lower() not in ("", _NONE):
        message = f"send the body as it is, without Content-Encoding: {codings[:80]}"
        raise UnsupportedMediaType(message, acceptEncoding=_NONE)
