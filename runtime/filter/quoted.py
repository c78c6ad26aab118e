"""Dotted paths with steps in quotes, for keys of maps, free-form fields and attributes: ``a."unit price"``.

Inside quotes everything is itself, and ``""`` is a quote. A dot there is part of the name of an attribute,
which no other key can have (``runtime.model.attribute_names``).
"""

import re
from collections.abc import Iterator
from typing import Final

from runtime.model.attribute_names import is_marked, quote_text, sent_name, stored_name

_QUOTED: Final = r'"[^"]*+(?>(?:""[^"]*+)*)"'
_STEP: Final = rf'(?:[^".]++|{_QUOTED})'
_PATH: Final = re.compile(rf"{_STEP}(?>(?:\.{_STEP})*)")
_EACH: Final = re.compile(_STEP)
_COMMA: Final = re.compile(rf"{_QUOTED}|,")
_MARK: Final = re.compile(rf"{_QUOTED}|\[\*\]")
_COLON: Final = re.compile(rf"{_QUOTED}|:")
_BARE: Final = re.compile(r"[^\s\x00-\x1f\x7f:,()\[\]{}\"&\\|!$#*?~<>^=]*+")


def read_path(text: str) -> str:
    """Return a path without its quotes. Raises ``ValueError`` with what is wrong with them."""
    if is_marked(text):
        raise ValueError("the path has U+FDD0 or U+FDD1, which are reserved")
    if '"' not in text:
        return text
    if not _PATH.fullmatch(text):
        raise ValueError('quotes are around a whole step of a path, as in labels."unit price"')
    return ".".join(
        stored_name(step[1:-1].replace('""', '"')) if step[0] == '"' else step for step in _EACH.findall(text)
    )


def read_marked_path(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a path without the ``[*]`` in it, and the paths of the lists so marked.

    Raises ``ValueError`` with what is wrong.
    """
    *before, last = _split(_MARK, text)
    if not before:
        return read_path(text), ()
    if not before[0] or any(part[:1] not in (".", "") for part in (*before[1:], last)):
        raise ValueError("[*] follows the name of a list, as in lines[*].product")
    path = read_path("".join((*before, last)))
    return path, tuple(read_path("".join(before[: at + 1])) for at in range(len(before)))


def spell_path(path: str) -> str:
    """Return a path with quotes around the steps that need them."""
    if _BARE.fullmatch(path) and not is_marked(path):
        return path
    return ".".join(
        step if _BARE.fullmatch(step) and not is_marked(step) else quote_text(sent_name(step))
        for step in path.split(".")
    )


def split_list(text: str) -> Iterator[str]:
    """Yield the entries between commas; one in quotes is part of its entry."""
    return _split(_COMMA, text)


def _split(separator: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield what is between separators outside quotes, which the pattern finds as well."""
    start = 0
    for found in separator.finditer(text):
        if found[0][0] != '"':
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def split_head(token: str) -> tuple[str, str]:
    """Return what is before the first colon outside quotes, and what is behind."""
    at = next(found.start() for found in _COLON.finditer(token) if found[0] == ":")
    return token[:at].rstrip(), token[at + 1 :].strip()
