"""Control characters as escapes: what callers send and store must not steer the terminal that shows it."""

_REORDER = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""They let a line be shown in another order than it has, behind their own text too."""
_IN_JSON = {code: f"\\u{code:04x}" for code in (*range(128, 160), 0x2028, 0x2029, *_REORDER)}
"""What JSON need not escape, and the two characters beyond ASCII that end a line for some readers."""
_IN_TEXT = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in b"\t\n"}
_IN_TEXT |= {code: _IN_JSON[code] for code in _REORDER}


def escape_text(text: str) -> str:
    """Return text for people, of which line ends and tabs stay."""
    return text.translate(_IN_TEXT)


def escape_json(value: bytes) -> bytes:
    """Return JSON of the same value."""
    return value if value.isascii() else value.decode().translate(_IN_JSON).encode()
