"""Imports that are analysed first and committed later."""
