"""OAuth clients, as they are registered."""
