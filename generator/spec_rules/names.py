"""Rules of names: well-formed, free, declared."""

from __future__ import annotations

from generator.spec_rules.rule import of_a_field, of_a_record, rule

NAMES = (
    of_a_field("020", "a name can be carried by generated code", "unit_price: decimal", "unitPrice: decimal"),
    rule(
        "021",
        "a name is declared once",
        """
        record: Country
        """,
        """
        record: Nation
        """,
    ),
    of_a_field(
        "022",
        "no two things make the same class, module or constant",
        "input: {object: {weight: decimal}}",
        "entry: {object: {weight: decimal}}",
    ),
    of_a_field("023", "common fields come by themselves", "displayName: string", "title: string"),
    of_a_record(
        "024",
        "a path is well-formed and not the service's own",
        "path: logistics/parcels/",
        "path: /logistics/parcels",
    ),
    of_a_record("025", "a collection belongs to one record", "collection: countries", "collection: parcels"),
    of_a_field("030", "a type exists", "weight: decimals", "weight: decimal"),
    of_a_field("031", "a record type exists", "origin: {reference: Contry}", "origin: {reference: Country}"),
    of_a_field("032", "a structure exists", "origin: {structure: Adress}", "origin: {structure: Address}"),
    of_a_field(
        "033",
        "a state graph exists",
        "status: {states: parcelLifecycles}",
        "status: {states: parcelLifecycle}",
    ),
    rule(
        "034",
        "a field exists",
        """
        record: Parcel
        display: "{lable}"
        fields:
          label: string
        """,
        """
        record: Parcel
        display: "{label}"
        fields:
          label: string
        """,
    ),
    of_a_field(
        "035",
        "a predicate is declared in an ontology",
        "origin: {reference: Country, predicate: sentFrom}",
        "origin: {reference: Country}",
    ),
    of_a_record("036", "a role is declared in service.yaml", "roles: [user, clark]", "roles: [user, clerk]"),
    rule(
        "037",
        "an area, domain or action exists",
        """
        rules:
          - name: clerks read countries
            securityURI: {header: {identity: clerk, area: logistic, action: VIEW}}
            effect: ALLOW
        """,
        """
        rules:
          - name: clerks read countries
            securityURI: {header: {identity: clerk, area: logistics, action: VIEW}}
            effect: ALLOW
        """,
    ),
    of_a_record("038", "an operation exists", "endpoints: [list, peek]", "endpoints: [list, id]"),
    rule(
        "039",
        "a setting exists, is valid and is not a secret",
        """
        title: Parcels
        version: "1.0.0"
        roles: [clerk]
        settings: {limits.page-sise: 100}
        """,
        """
        title: Parcels
        version: "1.0.0"
        roles: [clerk]
        settings: {limits.page-size: 100}
        """,
        "specs/service.yaml",
    ),
)
