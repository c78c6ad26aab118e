"""``Specs`` → ``Model``: names given, links followed, everything checked that the language says."""

from generator.resolve.context import CheckFilter
from generator.resolve.whole import resolve

__all__ = ["CheckFilter", "resolve"]
