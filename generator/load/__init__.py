"""A folder of YAML files → ``Specs``, keeping line and column of everything. Only here is YAML read."""

from generator.load.folder import load

__all__ = ["load"]
