"""The ``Forwarded`` header (RFC 7239, section 4), read strictly: a list half understood would be a lie."""

import re
from typing import Final

_MAX_CHARACTERS: Final = 4096
_WORD: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PAIR = re.compile(rf'[ \t]*({_WORD})=(?:({_WORD})|"((?:[^"\\]|\\.)*)")[ \t]*')
_BLANKS = re.compile(r"[ \t]*")
_ESCAPED = re.compile(r"\\(.)")


def forwarded_elements(line: str) -> list[dict[str, str]]:
    """Return the elements of one header line, the last first, without empty ones; names in lower case.

    Raises ``ValueError`` for a line that is malformed or far too long.
    """
    if len(line) > _MAX_CHARACTERS:
        raise ValueError("the line is too long")
    elements: list[dict[str, str]] = [{}]
    position = 0
    while True:
        position = _read_pair(line, position, elements[-1])
        if position == len(line):
            return [element for element in reversed(elements) if element]
        if line[position] == ",":
            elements.append({})
        elif line[position] != ";":
            raise ValueError(f"not a separator at {position}")
        position += 1


def _read_pair(line: str, position: int, element: dict[str, str]) -> int:
    """Read one ``name=value``, which may be missing; return where it ends."""
    match = _PAIR.match(line, position)
    if match is None:
        blanks = _BLANKS.match(line, position)
        return blanks.end() if blanks else position
    name, token, quoted = match[1].lower(), match[2], match[3]
    if name in element:
        raise ValueError(f"{name} came twice")
    element[name] = token if quoted is None else _ESCAPED.sub(r"\1", quoted)
    return match.end()
