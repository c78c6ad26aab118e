"""base64url without padding (RFC 4648 §5), as in tokens, cursors and places. Pure."""

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encode_base64url(octets: bytes) -> str:
    """Encode bytes, without padding."""
    return urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")


def decode_base64url(text: str) -> bytes | None:
    """Decode what ``encode_base64url`` writes; None for any other text.

    The library would ignore foreign letters and unused bits, so that one value had many spellings.
    """
    try:
        octets = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError:
        return None
    return octets if encode_base64url(octets) == text else None
