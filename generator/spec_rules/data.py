"""Rules of filters, tools, seeds, import profiles and the ontology."""

from __future__ import annotations

from generator.spec_rules.rule import rule

DATA = (
    rule(
        "080",
        "a filter compiles",
        """
        tools:
          - name: find_countries
            description: Countries by name.
            query: Country
            filter: "name:${nane}"
            arguments: {name: {type: string, required: true}}
        """,
        """
        tools:
          - name: find_countries
            description: Countries by name.
            query: Country
            filter: "name:${name}"
            arguments: {name: {type: string, required: true}}
        """,
    ),
    rule(
        "081",
        "a tool does one thing",
        """
        tools:
          - {name: countries, description: Countries., query: Country, count: Country}
        """,
        """
        tools:
          - {name: countries, description: Countries., query: Country}
        """,
    ),
    rule(
        "082",
        "the words of a tool belong to what it does",
        """
        tools:
          - {name: countries, description: How many., count: Country, limit: 10}
        """,
        """
        tools:
          - {name: countries, description: How many., count: Country}
        """,
    ),
    rule(
        "083",
        "a rule hides what can be hidden",
        """
        rules:
          - name: clerks see countries
            securityURI: {header: {identity: clerk, functionalDomain: country}}
            effect: ALLOW
            hiddenFields: [refName]
        """,
        """
        rules:
          - name: clerks see countries
            securityURI: {header: {identity: clerk, functionalDomain: country}}
            effect: ALLOW
            hiddenFields: [name]
        """,
    ),
    rule(
        "090",
        "a seed is a record its type accepts",
        """
        seeds:
          - record: Country
            rows:
              - {refName: PT, name: 7}
        """,
        """
        seeds:
          - record: Country
            rows:
              - {refName: PT, name: Portugal}
        """,
    ),
    rule(
        "091",
        "a seed has a refName of its own",
        """
        seeds:
          - record: Country
            rows:
              - {name: Portugal}
        """,
        """
        seeds:
          - record: Country
            rows:
              - {refName: PT, name: Portugal}
        """,
    ),
    rule(
        "092",
        "an import profile fills fields that a caller may write",
        """
        importProfile: countries
        target: Country
        columnMappings:
          - {sourceColumn: WHO, targetField: auditInfo.createdBy}
        """,
        """
        importProfile: countries
        target: Country
        columnMappings:
          - {sourceColumn: NAME, targetField: name}
        """,
    ),
    rule(
        "093",
        "a predicate is used between its domain and its range",
        """
        ontology:
          predicates:
            borders: {domain: Country, range: Country, subPropertyOf: borders}
        """,
        """
        ontology:
          predicates:
            borders: {domain: Country, range: Country, inverse: borders, symmetric: true}
        """,
    ),
)
