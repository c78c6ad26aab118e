"""What a new user id must be, so that nobody can pass for somebody else. Pure.

Ids are stored in NFKC. Beyond ASCII they hold only letters, digits and marks that RFC 5892 admits in
identifiers (no invisible or compatibility characters), of one script and one set of digits, and must not
look like an ASCII id as a whole (Unicode UTS 39, §4 and §5). Ids from before these rules go on working.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

from idna.idnadata import codepoint_classes
from idna.intranges import intranges_contain

from runtime.errors import ValidationFailed
from runtime.identity.credentials.credentials import MOST_USER_ID_CHARACTERS, login_name_of

_ANY_SCRIPT = frozenset({"COMMON", "INHERITED"})
_TOGETHER = (
    frozenset({"HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"HAN", "HANGUL"}),
    frozenset({"HAN", "BOPOMOFO"}),
)
"""Scripts that one language writes together: they count as one (UTS 39 §5.1)."""

_MOST_MARKS = 4


def normal_user_id(user_id: str) -> str:
    """Return the form in which a new user id is stored."""
    return unicodedata.normalize("NFKC", user_id)


def check_user_id(user_id: str) -> None:
    """Raise ``ValidationFailed`` for what cannot be a new user id, whatever provider manages the user."""
    if (fault := fault_of_user_id(normal_user_id(user_id))) is not None:
        raise ValidationFailed.at("userId", fault, "the user cannot be created: userId")


def fault_of_user_id(user_id: str) -> str | None:
    """Describe what is wrong with a new user id in its stored form; None if nothing is."""
    login_name = login_name_of(user_id)
    if login_name is None or not user_id.isprintable() or any(map(str.isspace, user_id)):
        return f"must be 1 to {MOST_USER_ID_CHARACTERS} printable characters without blanks"
    if user_id.isascii():
        return None
    return (
        _fault_of_characters(login_name)
        or _fault_of_scripts(user_id)
        or _fault_of_likeness(user_id)
        or _fault_of_likeness(login_name)
    )


def _fault_of_characters(login_name: str) -> str | None:
    for character in login_name:
        if not (character.isascii() or intranges_contain(ord(character), codepoint_classes["PVALID"])):
            return f"has the character {_name(character)}: use letters, digits and ASCII punctuation"
    marks = [(is_mark, len(list(run))) for is_mark, run in groupby(login_name, _is_mark)]
    if marks[0][0] or any(is_mark and length > _MOST_MARKS for is_mark, length in marks):
        return f"must have a letter before a combining mark, and at most {_MOST_MARKS} marks on a letter"
    return None


def _fault_of_scripts(user_id: str) -> str | None:
    scripts = {script: character for character, script in _scripts(user_id) if script not in _ANY_SCRIPT}
    if len(scripts) > 1 and not any(scripts.keys() <= together for together in _TOGETHER):
        first, second, *_ = scripts.items()
        said = " and ".join(f"{character} ({script.capitalize()})" for script, character in (first, second))
        return f"mixes the scripts of {said}: write it in one"
    systems = {
        ord(one) - unicodedata.decimal(one) for one in user_id if unicodedata.decimal(one, None) is not None
    }
    if len(systems) > 1:
        return "mixes digits of several scripts: use those of one"
    return None


def _fault_of_likeness(user_id: str) -> str | None:
    """Whether every character can be taken for an ASCII one."""
    seen = ""
    for character in user_id:
        like = character if character.isascii() else _ascii_like(character)
        if like is None:
            return None
        seen += like
    return None if seen == user_id else f"looks like {seen}: write it in ASCII, or as it cannot be mistaken"


def _ascii_like(character: str) -> str | None:
    found = (str(one["c"]) for one in _confusables().get(character, ()))
    return next((text for text in found if text.isascii() and text.isprintable()), None)


def _scripts(user_id: str) -> Iterator[tuple[str, str]]:
    # Imported where it is needed, which is seldom: it reads a table of 50 KiB.
    from confusable_homoglyphs.categories import alias

    return ((character, str(alias(character)).upper()) for character in user_id)


@lru_cache(maxsize=1)
def _confusables() -> dict[str, list[dict[str, Any]]]:
    # The same, of 900 KiB.
    from confusable_homoglyphs.confusables import confusables_data

    table: dict[str, list[dict[str, Any]]] = confusables_data
    return table


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _name(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
