"""Rules of names: well-formed, free, declared."""

from __future__ import annotations

from generator.spec_rules.rule import of_a_field, rule

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
    rule(
        "022",
        "no two things make the same class, module or constant",
        """
        record: Parcel
        fields:
          input: {object: {weight: decimal}}
        """,
        """
        record: Parcel
        fields:
          entry: {object: {weight: decimal}}
        """,
    ),
    of_a_field("023", "common fields come by themselves", "displayName: string", "title: string"),
    rule(
        "024",
        "a path is well-formed and not the service's own",
        """
        record: Parcel
        path: logistics/parcels/
        """,
        """
        record: Parcel
        path: /logistics/parcels
        """,
    ),
    rule(
        "025",
        "a collection belongs to one record",
        """
        record: Parcel
        collection: countries
        """,
        """
        record: Parcel
        collection: parcels
        """,
    ),
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
    rule(
        "036",
        "a role is declared in service.yaml",
        """
        record: Parcel
        roles: [user, clark]
        """,
        """
        record: Parcel
        roles: [user, clerk]
        """,
    ),
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
    rule(
        "038",
        "an operation exists",
        """
        record: Parcel
        endpoints: [list, peek]
        """,
        """
        record: Parcel
        endpoints: [list, id]
        """,
    ),
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
