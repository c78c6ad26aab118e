"""``Specs`` → ``Model``: names given, links followed, everything checked that the language says."""

from generator.resolve.available import LATER_WORDS
from generator.resolve.context import CheckFilter
from generator.resolve.whole import resolve

__all__ = ["LATER_WORDS", "CheckFilter", "resolve"]
