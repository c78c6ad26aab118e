"""What a user is known by: stored credentials, passwords, names that are taken."""
