"""Variables of the environment that are nearly those of settings: a typing mistake has no other effect."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from runtime.model.nearest import closest
from runtime.settings.effective import Settings
from runtime.settings.families import FAMILIES
from runtime.settings.sources import CONFIG, environment_name

_STORE: Final = "MONGODB_URI"
_OF_A_STORE: Final = ("mongodb://", "mongodb+srv://")


def find_misspelt(environment: Mapping[str, str], *, has_store: bool = False) -> dict[str, str]:
    """Return the variables that set nothing, each with that of a setting that may be meant.

    Names are compared behind their first word, which a variable must have in common with a setting: others,
    such as those that name the port of a service called ``mongodb``, are nobody's mistake. As long as no
    store is named, there or in a file of settings (``has_store``), a variable with the address of one is
    meant for it, whatever it is called.
    """
    known: dict[str, set[str]] = defaultdict(set)
    families = {family.alias for family in FAMILIES}
    names = {str(row.validation_alias) for row in Settings.model_fields.values()} - families
    for variable in (*map(environment_name, names), CONFIG):
        word, _, rest = variable.partition("_")
        known[word].add(rest)
    named = dict.fromkeys(environment, "x")  # an empty one sets nothing, yet is spelt well
    grouped = {environment_name(name) for family in FAMILIES for name in family.read_environment(named)}
    has_store = has_store or bool(environment.get(_STORE))
    found = {}
    for variable in sorted(environment):
        word, _, rest = variable.partition("_")
        is_known = variable.upper() in grouped or rest in known.get(word, {rest})
        near = None if is_known else _find_member(variable.upper()) or closest(rest, known[word])
        if near is not None:
            found[variable] = f"{word}_{near}"
        elif not has_store and environment[variable].startswith(_OF_A_STORE):
            found[variable] = _STORE
    return found


def _find_member(variable: str) -> str | None:
    """Return the setting of a family that is meant, behind its first word; None where none is near.

    Names of things have underscores too, so a variable is cut at each of its own.
    """
    for family in FAMILIES:
        start = environment_name(family.prefix)
        steps = variable.removeprefix(start).split("_") if variable.startswith(start) else []
        cuts = [("_".join(steps[:end]), "_".join(steps[end:])) for end in range(1, len(steps)) if steps[0]]
        words = list(map(environment_name, family.words))
        meant = {f"{start}{name}_{word}" for name, rest in cuts for word in words if _may_mean(rest, word)}
        if (near := closest(variable, meant)) is not None:
            return near.partition("_")[2]
    return None


def _may_mean(written: str, word: str) -> bool:
    """Whether a word is near; what is called a secret is never meant for a word that is shown."""
    return closest(written, [word]) is not None and ("SECRET" not in written or "SECRET" in word)
