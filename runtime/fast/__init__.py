"""What exists for speed alone; each has a plain twin that does the same."""
