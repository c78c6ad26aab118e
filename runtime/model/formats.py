"""What ``format`` may say of a string: the pattern that checks it, and an example.

The patterns mean the same in Rust (which checks bodies), in ECMAScript (which clients use) and in Python: no
look-around, no back-references.
"""

from collections.abc import Mapping
from typing import Final

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_CLOCK = r"T(?:[0-9]+(?:\.[0-9]+)?[HMS])+"

FORMAT_PATTERNS: Final[Mapping[str, str]] = {
    "duration": f"^P(?:(?:[0-9]+[YMWD])+(?:{_CLOCK})?|{_CLOCK})$",
    "email": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "hostname": rf"^{_LABEL}(?:\.{_LABEL})*$",
    "ipv4": rf"^(?:{_OCTET}\.){{3}}{_OCTET}$",
    "ipv6": "^[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$",
    "time": r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-][0-2][0-9]:[0-5][0-9])$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$",
    "uuid": "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
}
"""The pattern of a string that says its ``format`` and no ``pattern`` of its own."""

FORMAT_EXAMPLES: Final[Mapping[str, str]] = {
    "duration": "P1DT12H",
    "email": "ada@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "08:30:00Z",
    "uri": "https://example.com/a",
    "uuid": "65f1c0de-0000-4000-8000-000000000001",
}

PATTERN_TEXTS: Final = {
    pattern: f"is not of the format {name}; write it as in {FORMAT_EXAMPLES[name]}"
    for name, pattern in FORMAT_PATTERNS.items()
} | {
    r"\S": "is blank: write more than white space",
    r"^[^,+\-\s][^,]*$": 'is not one field: write it without a sign, and "dir": "DESC" to descend',
}
"""What is wrong with a text that does not match a pattern, in place of the pattern."""
