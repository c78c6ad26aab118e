"""Rules of filters, tools, seeds, import profiles and the ontology."""

from __future__ import annotations

from generator.spec_rules.rule import Rule, rule


def _of_a_tool(number: str, title: str, bad: str, good: str) -> Rule:
    return rule(number, title, f"tools:\n  - {bad}\n", f"tools:\n  - {good}\n")


def _of_a_seed(number: str, title: str, bad: str, good: str) -> Rule:
    """Create a rule about one row of a seed."""
    seed = "seeds:\n  - record: Country\n    rows:\n      - "
    return rule(number, title, f"{seed}{bad}\n", f"{seed}{good}\n")


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
    _of_a_tool(
        "081",
        "a tool does one thing",
        "{name: countries, description: Countries., query: Country, count: Country}",
        "{name: countries, description: Countries., query: Country}",
    ),
    _of_a_tool(
        "082",
        "the words of a tool belong to what it does",
        "{name: countries, description: How many., count: Country, limit: 10}",
        "{name: countries, description: How many., count: Country}",
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
    _of_a_seed(
        "090",
        "a seed is a record its type accepts",
        "{refName: PT, name: 7}",
        "{refName: PT, name: Portugal}",
    ),
    _of_a_seed("091", "a seed has a refName of its own", "{name: Portugal}", "{refName: PT, name: Portugal}"),
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
