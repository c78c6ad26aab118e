"""Realms: where the data of a group of tenants is stored."""
