"""Rows of a file: what to do with each, what is wrong with it, how it is reported."""
