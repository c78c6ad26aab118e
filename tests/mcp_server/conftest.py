"""The example service, as ``tests/http`` has it."""

from tests.http.conftest import key_folder, play, usual_settings, world

__all__ = ["key_folder", "play", "usual_settings", "world"]
