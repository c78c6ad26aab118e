"""The hypothesis profiles of the filter language serve here too."""

from tests.filter import conftest as filter_language

__all__ = ["filter_language"]
