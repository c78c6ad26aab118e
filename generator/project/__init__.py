"""A service of one's own: the wheel, and the repository that ``recordsmith init`` writes for a team."""
