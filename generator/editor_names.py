"""The names of one project in the schemas for editors: known ones complete, unknown ones are flagged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.model import Model
from generator.types import OF_DEPLOYMENTS, is_secret

Schema = dict[str, Any]

_VALUE = {"type": ["string", "number", "boolean"]}
"""Of a setting of a family."""

_PATTERNS = {"area": "areas", "functionalDomain": "domains", "action": "actions"}
"""Words of a rule that are patterns: compared without case, with wildcards."""


@dataclass(frozen=True, slots=True)
class EditorNames:
    """The names that a project declares, each sorted."""

    records: tuple[str, ...]
    structures: tuple[str, ...]
    graphs: tuple[str, ...]
    predicates: tuple[str, ...]
    roles: tuple[str, ...]
    areas: tuple[str, ...]
    domains: tuple[str, ...]
    actions: tuple[str, ...]

    @classmethod
    def of(cls, model: Model) -> EditorNames:
        domains = {one.domain for one in model.records} | {one.domain for one in model.endpoints}
        return cls(
            records=_sort(one.name for one in model.records),
            structures=_sort(one.name for one in model.structures),
            graphs=_sort(one.name for one in model.graphs),
            predicates=_sort(one.name for one in model.predicates),
            roles=_sort(model.roles),
            areas=_sort(one.name for one in model.areas),
            domains=_sort(domains),
            actions=_sort({"VIEW", "CREATE", "UPDATE", "DELETE", *(one.action for one in model.endpoints)}),
        )


def add_names(classes: Mapping[str, Schema], names: EditorNames) -> None:
    """Write what a rule and the service may name into the schemas of their classes, given by name."""
    if "RuleHeaderSpec" in classes:
        properties = classes["RuleHeaderSpec"]["properties"]
        for word, kind in _PATTERNS.items():
            known = {"enum": list(getattr(names, kind))}
            pattern = {"type": "string", "pattern": _case_free(getattr(names, kind))}
            _replace(properties[word], {"anyOf": [known, pattern, {"pattern": "[*?]"}]})
        _replace(properties["identity"], {"anyOf": [{"enum": list(names.roles)}, {"type": "string"}]})
    if "ServiceSpec" in classes:
        _replace(classes["ServiceSpec"]["properties"]["settings"], _settings())


def _settings() -> Schema:
    """Describe each setting that a file may hold, with its type and help."""
    from runtime.settings import FAMILIES, Settings

    rows = Settings.model_json_schema(by_alias=True)["properties"]
    infos = Settings.model_fields.values()
    secrets = {str(one.validation_alias) for one in infos if is_secret(one.annotation)}
    left_out = secrets | OF_DEPLOYMENTS | {family.alias for family in FAMILIES}
    return {
        "type": "object",
        "properties": {name: row for name, row in rows.items() if name not in left_out},
        "patternProperties": {f"^{re.escape(family.prefix)}": _VALUE for family in FAMILIES},
        "additionalProperties": False,
    }


def _replace(word: Schema, schema: Schema) -> None:
    description = word["description"]
    word.clear()
    word.update(schema, description=description)


def _case_free(names: tuple[str, ...]) -> str:
    """Build a pattern that matches the names in any case."""
    letters = ("".join(_either(letter) for letter in name) for name in names)
    return f"^(?:{'|'.join(letters)})$"


def _either(letter: str) -> str:
    return f"[{letter.upper()}{letter.lower()}]" if letter.isalpha() else f"[{letter}]"


def _sort(names: Iterable[object]) -> tuple[str, ...]:
    return tuple(sorted({str(name) for name in names}))
