"""The authorization server: tokens for applications (OAuth 2.0)."""
