"""The rules of the specification language: one table, each row with a bad and a good example.

An id is stable: it is never given to another rule. Tens speak of one matter.
"""

from generator.spec_rules.data import DATA
from generator.spec_rules.fields import FIELDS
from generator.spec_rules.graphs import GRAPHS
from generator.spec_rules.names import NAMES
from generator.spec_rules.reading import READING
from generator.spec_rules.routes import ROUTES
from generator.spec_rules.rule import Rule

RULES = {row.id: row for row in (*READING, *NAMES, *FIELDS, *GRAPHS, *ROUTES, *DATA)}

__all__ = ["RULES", "Rule"]
