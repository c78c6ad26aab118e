"""Signing in, staying signed in, and tokens that are not accepted any more."""
