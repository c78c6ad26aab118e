"""The specification files as strict classes, one module a kind."""

from generator.spec.breaking import REASON, BreakingSpec, DeclarationSpec
from generator.spec.data import (
    ColumnSpec,
    ImportProfileSpec,
    LookupSpec,
    OntologySpec,
    PredicateSpec,
    RegexSpec,
    RuleSpec,
    RulesSpec,
    SeedSpec,
    SeedsSpec,
)
from generator.spec.document import BREAKING_KIND, KINDS, SERVICE_KIND, SPECS, Document, Positions, Specs
from generator.spec.endpoint import EndpointSpec, EndpointsSpec, OAuthKind, ParameterSpec
from generator.spec.field import CONSTRAINT_WORDS, TYPE_WORDS, Fields, FieldSpec
from generator.spec.graph import StateGraphSpec, StateSpec
from generator.spec.record import (
    DECIDING_ROUTES,
    ConstraintSpec,
    ExtensionSpec,
    IndexSpec,
    RecordSpec,
    StructureSpec,
)
from generator.spec.service import NO_SERVICE, ContactSpec, ServiceSpec
from generator.spec.strict import NAMES, Spec
from generator.spec.tool import DEEDS, ToolSpec, ToolsSpec

__all__ = [
    "BREAKING_KIND",
    "CONSTRAINT_WORDS",
    "DECIDING_ROUTES",
    "DEEDS",
    "KINDS",
    "NAMES",
    "NO_SERVICE",
    "REASON",
    "SERVICE_KIND",
    "SPECS",
    "TYPE_WORDS",
    "BreakingSpec",
    "ColumnSpec",
    "ConstraintSpec",
    "ContactSpec",
    "DeclarationSpec",
    "Document",
    "EndpointSpec",
    "EndpointsSpec",
    "ExtensionSpec",
    "FieldSpec",
    "Fields",
    "ImportProfileSpec",
    "IndexSpec",
    "LookupSpec",
    "OAuthKind",
    "OntologySpec",
    "ParameterSpec",
    "Positions",
    "PredicateSpec",
    "RecordSpec",
    "RegexSpec",
    "RuleSpec",
    "RulesSpec",
    "SeedSpec",
    "SeedsSpec",
    "ServiceSpec",
    "Spec",
    "Specs",
    "StateGraphSpec",
    "StateSpec",
    "StructureSpec",
    "ToolSpec",
    "ToolsSpec",
]
