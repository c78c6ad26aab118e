"""Managing users."""
