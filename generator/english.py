"""English for names: words, plurals, articles. Pure, and as good as a table of exceptions makes it.

A record names its plural itself (``plural:``) where these rules are wrong.
"""

import re
from functools import cache

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")

_IRREGULAR = {
    "person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "criterion": "criteria", "phenomenon": "phenomena", "datum": "data", "medium": "media",
    "matrix": "matrices", "vertex": "vertices", "appendix": "appendices", "quiz": "quizzes", "axe": "axes",
    "analysis": "analyses", "basis": "bases", "axis": "axes", "crisis": "crises", "diagnosis": "diagnoses",
    "hypothesis": "hypotheses", "synthesis": "syntheses", "thesis": "theses", "synopsis": "synopses",
    "leaf": "leaves", "life": "lives", "knife": "knives", "half": "halves", "shelf": "shelves",
    "loaf": "loaves", "thief": "thieves", "wolf": "wolves", "wife": "wives",
    "hero": "heroes", "potato": "potatoes", "tomato": "tomatoes", "echo": "echoes", "veto": "vetoes",
    "cargo": "cargoes", "embargo": "embargoes", "torpedo": "torpedoes",
    "stomach": "stomachs", "epoch": "epochs", "monarch": "monarchs", "patriarch": "patriarchs",
    "cache": "caches", "ache": "aches", "niche": "niches", "movie": "movies", "cookie": "cookies",
    "tie": "ties", "pie": "pies", "lie": "lies", "die": "dice",
}  # fmt: skip
_SINGULAR = {many: one for one, many in _IRREGULAR.items()}
_UNCHANGED = frozenset(
    {
        *("series", "species", "sheep", "fish", "aircraft", "spacecraft", "equipment", "information", "news"),
        *("goods", "data", "metadata", "money", "software", "hardware", "firmware", "feedback", "means"),
        *("headquarters", "logistics", "analytics", "statistics"),
    }
)
_ENDS_IN_US = frozenset(
    {
        *("status", "bonus", "campus", "virus", "bus", "census", "corpus", "focus", "chorus", "consensus"),
        *("surplus", "apparatus", "prospectus", "radius", "nucleus", "stimulus", "terminus", "nexus", "opus"),
    }
)


@cache
def words(name: str) -> tuple[str, ...]:
    """``CompletionTask``, ``completionTask`` and ``completion-task`` → ``("completion", "task")``."""
    return tuple(word.lower() for word in _HUMP.sub(" ", name).split())


def article(phrase: str) -> str:
    """Return ``a`` or ``an``, by sound where spelling misleads: a user, an hour."""
    phrase = phrase.lower()
    if re.match(r"(?:uni(?!n|m)|us[aeu]|uti|eu|(?:one|uk|ui|uuid|ur[iln])\b)", phrase):
        return "a"
    return "an" if re.match(r"[aeiou]|hour|honest|heir", phrase) else "a"


def plural(phrase: str) -> str:
    """Return the English plural of the last word: ``shipment line`` → ``shipment lines``."""
    head, blank, word = phrase.rpartition(" ")
    return head + blank + _plural_word(word)


def singular(name: str) -> str:
    """Return a name with its last word in the English singular: ``orderLines`` → ``orderLine``.

    A word that is not a plural (``address``, ``status``, ``stock``) stays as it is. Some that end in s
    lose it (``lens``): another singular would rename the schemas and classes of specifications in use.
    """
    last = _HUMP.split(name)[-1]
    one = _singular_word(last.lower())
    if one == last.lower():
        return name
    return name.removesuffix(last) + (one.capitalize() if last[0].isupper() else one) or name


def _plural_word(word: str) -> str:
    if word in _UNCHANGED:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return f"{word}es"
    if re.search(r"(?:sales|work|crafts|crew|trades|chair|spokes)(?:wo)?man$", word):
        return f"{word[:-2]}en"
    return f"{word}s"


def _singular_word(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word in _UNCHANGED or re.search(r"(?:[^s]|ss|us|is)$", word):
        return word
    if word[:-2] in _ENDS_IN_US:
        return word[:-2]
    if re.search(r"[^aeiou]ies$", word):
        return f"{word[:-3]}y"
    if re.search(r"(?:ss|sh|ch|x|zz)es$", word):
        return word[:-2]
    return word[:-1]
