"""The routes, one module a record, one an area. Written by the generator; do not edit."""
