"""A service of one's own: the wheel, and the repository that ``recordsmith init`` writes for a team."""

from generator.project.start import NotInstalledError, Started, start_project

__all__ = ["NotInstalledError", "Started", "start_project"]
