"""The resolved model: what the specifications mean. Frozen, every name given, every link followed.

``resolve.py`` makes it (and is the only place that can fail); ``openapi.py``, ``pydantic_models.py``
and ``render.py`` only read it. Tuples are in a stable order: records, graphs, structures and endpoints
by name, fields and states as written.
"""

from generator.model.endpoints import Endpoint, Parameter
from generator.model.fields import (
    Field,
    Kind,
    Structure,
    Type,
    list_targets,
    walk_fields,
)
from generator.model.model import (
    Area,
    Declaration,
    Digests,
    Graph,
    Model,
    Record,
    Seed,
    Tool,
)
from generator.model.stored import decode_record, encode_record, hash_record

__all__ = [
    "Area",
    "Declaration",
    "Digests",
    "Endpoint",
    "Field",
    "Graph",
    "Kind",
    "Model",
    "Parameter",
    "Record",
    "Seed",
    "Structure",
    "Tool",
    "Type",
    "decode_record",
    "encode_record",
    "hash_record",
    "list_targets",
    "walk_fields",
]
