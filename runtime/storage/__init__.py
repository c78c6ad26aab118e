"""Stored records: the store, the stored form of values, indexes, change signals."""
