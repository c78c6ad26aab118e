"""Specifications other than records: rules, seeds, import profiles, the ontology."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from generator.spec.strict import PredicateName, RecordName, Spec, needed, word

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""``*`` is any run, ``?`` one character."""


class RuleHeaderSpec(Spec):
    """The calls that a rule matches; a missing member is ``*``."""

    identity: Pattern | None = word("A role or a user id; user:ann is the user id ann, never a role.")
    area: Pattern | None = word("A functional area.")
    functional_domain: Pattern | None = word("A functional domain.")
    action: Pattern | None = word("VIEW, CREATE, UPDATE, DELETE …")


class RuleBodySpec(Spec):
    """The callers and the record that a rule matches; a missing member is ``*``."""

    realm: Pattern | None = word("The realm of the call.")
    account_number: Pattern | None = word("The caller's account.")
    tenant_id: Pattern | None = word("The caller's tenant.")
    data_segment: Pattern | None = word("The caller's data segment.")
    owner_id: Pattern | None = word("The caller's user id.")
    resource_id: Pattern | None = word("The id or refName of the record.")


class SecurityUriSpec(Spec):
    """The two halves of what a rule matches."""

    header: RuleHeaderSpec = word("Which calls.", default=RuleHeaderSpec())
    body: RuleBodySpec = word("Whose calls, which record.", default=RuleBodySpec())


class RuleSpec(Spec):
    """One permission rule."""

    name: str = needed("The name of the rule; rules of equal priority are walked by name.")
    description: str | None = word("Why the rule exists.")
    security_uri: SecurityUriSpec = needed("What the rule matches; * is any run.", alias="securityURI")
    effect: Literal["ALLOW", "DENY"] = needed("ALLOW or DENY.")
    priority: int = word("Rules are walked in ascending order.", default=10)
    final_rule: bool = word("Ends the walk when it applies.", default=False)
    filter: str | None = word("The rule speaks only of records that match.")
    hidden_fields: list[str] = word("Dotted names that an ALLOW takes away.", default=[])
    enabled: bool = word("false: kept, but not walked.", default=True)


class RulesSpec(Spec):
    """Permission rules."""

    rules: list[RuleSpec] = Field(min_length=1, description="Permission rules.")


class SeedSpec(Spec):
    """Records to insert once per realm."""

    record: RecordName = needed("The record type.")
    version: int = Field(default=1, ge=1, description="Raise it to apply changed rows again.")
    shared: bool = word("All users of the tenant may read them, whatever their organisation.", default=False)
    rows: list[dict[str, Any]] = needed("The records; each has a refName.")


class SeedsSpec(Spec):
    """Seeds."""

    seeds: list[SeedSpec] = Field(min_length=1, description="Records to insert once per realm.")


class LookupSpec(Spec):
    """Replaces a cell by a value found in another record."""

    record: RecordName = needed("The record type to look in.")
    match: str = word("The field compared with the cell.", default="refName")
    return_: str = word("The field that is taken.", default="id", alias="return")
    on_not_found: Literal["FAIL", "NULL", "PASSTHROUGH"] = word("When nothing is found.", default="FAIL")


class RegexSpec(Spec):
    """A replacement in linear time."""

    pattern: str = needed("A regular expression.")
    replacement: str = word("What takes its place.", default="")


class ColumnSpec(Spec):
    """One column of an import."""

    source_column: str = needed("The header of the column.")
    target_field: str = needed("The field it fills, dotted.")
    value_mappings: dict[str, str] = word("Cell → value.", default={})
    unmapped_value_behavior: Literal["FAIL", "PASSTHROUGH", "NULL"] = word(
        "What happens to a cell that valueMappings does not name.", default="PASSTHROUGH"
    )
    lookup: LookupSpec | None = word("Find the value in another record.")
    row_value_resolver_name: str | None = word("A resolver of the application.")
    list_separator: str | None = Field(
        default=None, min_length=1, max_length=10, description="What stands between the elements of a list."
    )
    trim: bool = word("Take blanks off both ends.", default=False)
    case: Literal["UPPER", "LOWER", "TITLE"] | None = word("Change the case.")
    regex: RegexSpec | None = word("Replace what matches.")
    default: str | None = word("The value of an empty cell.")
    date_format: str | None = word("How dates are written in the file.")


class ImportProfileSpec(Spec):
    """An import profile."""

    import_profile: str = needed("The refName of the profile.")
    target: RecordName = needed("The record type that is imported.")
    version: int = Field(default=1, ge=1, description="Raise it to plant the changed profile again.")
    display_name: str | None = word("The name people read.")
    description: str | None = word("What the file is and where it comes from.")
    shared: bool = word("All users of the tenant may read it, whatever their organisation.", default=False)
    column_mappings: list[ColumnSpec] = Field(min_length=1, description="Columns and the fields they fill.")
    intent_column: str | None = word("The column that says INSERT, UPDATE, UPSERT or SKIP.")
    default_intent: Literal["INSERT", "UPDATE", "UPSERT", "SKIP"] = word(
        "The intent where the column is empty or absent.", default="UPSERT"
    )
    header_modifiers: bool = word("* ? ~ # at the end of a header have a meaning.", default=False)
    unmapped_columns: Literal["IGNORE", "FAIL"] = word("Columns that no mapping names.", default="FAIL")
    dynamic_attribute_strategy: Literal["DOT_NOTATION", "JSON_COLUMN", "VERTICAL", "HYBRID"] | None = word(
        "How dynamic attributes are written in the file."
    )
    dynamic_attribute_prefix: str = word("The prefix of their columns.", default="dyn.")
    enable_dynamic_attribute_discovery: bool = word(
        "Columns with the prefix are attributes; false: only those that columnMappings name.", default=True
    )
    dynamic_attribute_merge_strategy: Literal["REPLACE", "MERGE", "APPEND"] = word(
        "What happens to the attributes a record already has.", default="MERGE"
    )


class PredicateSpec(Spec):
    """A relationship type."""

    domain: RecordName = needed("The record type it leads from.")
    range: RecordName = needed("The record type it leads to.")
    inverse: PredicateName | None = word("The predicate of the way back.")
    transitive: bool = word("a→b and b→c give a→c.", default=False)
    symmetric: bool = word("a→b gives b→a.", default=False)
    sub_property_of: PredicateName | None = word("A wider predicate that follows from it.")
    chain: list[PredicateName] = word("Predicates that, walked in order, give this one.", default=[])
    description: str | None = word("What the relationship means.")


class PredicatesSpec(Spec):
    """The predicates of an ontology."""

    predicates: dict[str, PredicateSpec] = needed("Predicates by name.")


class OntologySpec(Spec):
    """The ontology schema; its classes are the record types."""

    ontology: PredicatesSpec = needed("The ontology schema.")
