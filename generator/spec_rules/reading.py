"""Rules of reading: YAML, files, and the words of a file."""

from __future__ import annotations

from generator.spec_rules.rule import of_a_field, of_a_record, rule

READING = (
    of_a_record(
        "001", "the file is YAML", "description: note: two colons", 'description: "note: two colons"'
    ),
    rule(
        "002",
        "the file is UTF-8 text of at most 1 MiB",
        "# a file of another encoding, or of all record types of a company\n",
        "record: Parcel\n",
    ),
    rule(
        "003",
        "a key stands once",
        """
        record: Parcel
        path: /logistics/boxes
        path: /logistics/parcels
        """,
        """
        record: Parcel
        path: /logistics/parcels
        """,
    ),
    rule(
        "004",
        "a key is text",
        """
        stateGraph: answers
        states:
          404: {initial: true, final: true}
        """,
        """
        stateGraph: answers
        states:
          NOT_FOUND: {initial: true, final: true}
        """,
    ),
    rule(
        "005",
        "indentation is made of spaces",
        "record: Parcel\nfields:\n\tname: string\n",
        "record: Parcel\nfields:\n  name: string\n",
    ),
    rule(
        "006",
        "a file is one document",
        """
        record: Parcel
        ---
        record: Pallet
        """,
        """
        record: Parcel
        """,
    ),
    of_a_record(
        "007",
        "nesting and aliases have an end",
        "indexes: " + "[" * 50 + "]" * 50,
        "indexes: [[refName]]",
    ),
    of_a_field(
        "008",
        "a value means one thing to every YAML reader",
        "answer: {enum: [yes, no]}",
        'answer: {enum: ["yes", "no"]}',
    ),
    rule(
        "009",
        "tags are not part of the language",
        "record: !!python/name:os.system Parcel\n",
        "record: Parcel\n",
    ),
    rule(
        "010",
        "files end in .yaml",
        "record: Parcel\n",
        "record: Parcel\n",
        "specs/logistics/example.yml",
        "specs/logistics/example.yaml",
    ),
    rule(
        "011",
        "the first key declares what the file contains",
        """
        description: What is sent.
        record: Parcel
        """,
        """
        record: Parcel
        description: What is sent.
        """,
    ),
    of_a_field(
        "012",
        "only known words are used",
        "weight: {type: decimal, minimun: 0}",
        "weight: {type: decimal, minimum: 0}",
    ),
    rule(
        "013",
        "needed words are there",
        """
        structure: Size
        """,
        """
        structure: Size
        fields:
          width: integer
        """,
    ),
    of_a_field(
        "014",
        "a word has a value of its type",
        'weight: {type: decimal, required: "true"}',
        "weight: {type: decimal, required: true}",
    ),
    of_a_record("015", "a word has one of its values", "onDelete: archived", "onDelete: archive"),
    rule(
        "016",
        "a file is in the folder of its functional area",
        "record: Parcel\n",
        "record: Parcel\n",
        "specs/example.yaml",
        "specs/logistics/example.yaml",
    ),
    rule(
        "017",
        "service.yaml is there",
        "# no specs/service.yaml\n",
        'title: Parcels\nversion: "1.0.0"\n',
        "specs/service.yaml",
    ),
    of_a_record("018", "a word has a value", "description:", "description: What is sent."),
    rule(
        "019",
        "a word is available",
        """
        record: Parcel
        ontology: true
        """,
        """
        record: Parcel
        """,
    ),
)
