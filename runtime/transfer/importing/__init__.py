"""Decides on rows and stores them."""
