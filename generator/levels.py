"""How bad a change is: a word of options, which are read before the table of rules is needed."""

from enum import StrEnum


class Level(StrEnum):
    """What a change does to a client that follows the former document, or to stored records."""

    BREAKING = "breaking"
    RISKY = "risky"
    SAFE = "safe"
