"""A folder of YAML files → ``Specs``, keeping line and column of everything. Only here is YAML read."""

from generator.load.whole import load

__all__ = ["load"]
