"""Timestamps as on the wire, by the JSON library in place of ``isoformat``. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import orjson

_WITHOUT_FRACTION: Final = len("2026-03-27T04:12:14Z")


def format_timestamp(value: datetime) -> str:
    """Format in UTC with three digits of the second, as ``2026-03-27T04:12:14.118Z``."""
    return format_timestamp_json(value)[1:-1].decode()


def format_timestamp_json(value: datetime) -> bytes:
    """Format as JSON, in quotes."""
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    text = orjson.dumps(value)  # six digits of the second when there are any, else none
    return text[:-4] + b'Z"' if value.microsecond else text[:-1] + b'.000Z"'


def format_timestamps(values: Sequence[datetime]) -> list[str]:
    """Format naive timestamps as ``format_timestamp`` does, all at once; at least one."""
    texts = orjson.dumps(values, option=orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z)[2:-2].decode().split('","')
    return [f"{text[:23]}Z" if len(text) > _WITHOUT_FRACTION else f"{text[:19]}.000Z" for text in texts]
