"""The example service, as ``tests/http`` has it."""

from tests.http.conftest import key_folder, play, world

__all__ = ["key_folder", "play", "world"]
