"""Work that finishes later: tasks and the groups they belong to."""
