"""Rules of fields: one type, fitting constraints, values that keep them, words that go together."""

from __future__ import annotations

from generator.spec_rules.rule import of_a_field, rule

FIELDS = (
    of_a_field(
        "040", "exactly one word gives the type", "size: {type: string, enum: [S, M]}", "size: {enum: [S, M]}"
    ),
    of_a_field(
        "041",
        "a constraint word fits the type",
        "label: {type: string, minimum: 3}",
        "label: {type: string, minLength: 3}",
    ),
    of_a_field(
        "042",
        "some value can meet the constraints",
        "weight: {type: decimal, minimum: 9, maximum: 1}",
        "weight: {type: decimal, minimum: 1, maximum: 9}",
    ),
    of_a_field(
        "043",
        "a pattern compiles, without look-around and back-references",
        'code: {type: string, pattern: "^(?!X)"}',
        'code: {type: string, pattern: "^[A-WYZ]"}',
    ),
    of_a_field(
        "044",
        "a default is a value of the field",
        "size: {enum: [S, M], default: L}",
        "size: {enum: [S, M], default: M}",
    ),
    of_a_field(
        "045",
        "an example is a value of the field",
        "sentOn: {type: date, example: 27.3.2026}",
        "sentOn: {type: date, example: 2026-03-27}",
    ),
    of_a_field(
        "046",
        "only what has an order is unique or indexed",
        "extra: {type: json, unique: true}",
        "code: {type: string, unique: true}",
    ),
    of_a_field(
        "047",
        "a word stands where it means something",
        "label: {type: string, track: true}",
        "origin: {reference: Country, track: true}",
    ),
    of_a_field(
        "048",
        "words do not contradict each other",
        "count: {type: integer, required: true, default: 1}",
        "count: {type: integer, default: 1}",
    ),
    of_a_field("049", "an enum has distinct values", "size: {enum: [S, M, S]}", "size: {enum: [S, M, L]}"),
    of_a_field(
        "050",
        "required references do not run in a circle",
        "parent: {reference: Parcel, required: true}",
        "parent: {reference: Parcel}",
    ),
    rule(
        "051",
        "a structure does not contain itself",
        """
        structure: Box
        fields:
          inside: {list: {structure: Box}}
        """,
        """
        structure: Box
        fields:
          inside: {list: string}
        """,
    ),
    rule(
        "052",
        "a template names single values in paired braces",
        """
        record: Parcel
        display: "{origin}"
        fields:
          origin: {reference: Country}
        """,
        """
        record: Parcel
        display: "{origin.entityRefName}"
        fields:
          origin: {reference: Country}
        """,
    ),
    rule(
        "053",
        "an index is possible and listed once",
        """
        record: Parcel
        fields:
          origin: {reference: Country}
        indexes:
          - [origin]
        """,
        """
        record: Parcel
        fields:
          origin: {reference: Country}
        indexes:
          - [origin.entityId]
        """,
    ),
    rule(
        "054",
        "templates and constraints do not name hidden fields",
        """
        record: Parcel
        display: "{secret}"
        fields:
          secret: {type: string, hidden: true}
        """,
        """
        record: Parcel
        display: "{label}"
        fields:
          label: string
        """,
    ),
    rule(
        "055",
        "calculated fields are not made of each other in a circle",
        """
        record: Parcel
        fields:
          short: {type: string, calculated: "{long}"}
          long: {type: string, calculated: "{short} {refName}"}
        """,
        """
        record: Parcel
        fields:
          short: string
          long: {type: string, calculated: "{short} {refName}"}
        """,
    ),
    of_a_field(
        "056",
        "a reference does not stand inside a map",
        "owners: {map: {reference: Country}}",
        "owners: {list: {reference: Country}}",
    ),
)
