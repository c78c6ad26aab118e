"""Rows of a file: what each asks for, what is wrong with it, how it is reported."""
