"""The standard operations, one module each."""
