"""The Pydantic classes, one module a record or structure. Written by the generator; do not edit."""
