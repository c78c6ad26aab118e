"""Users: their credentials, sign-in, sessions and realms."""
