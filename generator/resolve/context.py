"""What every part of ``resolve`` shares: declared names, the list of problems, who claimed which name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from generator.filters import find_undecided, list_paths
from generator.model import Record, Structure
from generator.naming import BadName
from generator.problems import Place, Problem, did_you_mean
from generator.resolve.names import NAMING_TYPES, OPERATIONS_ELSEWHERE, REMARKS, UNKNOWN, Unknown
from generator.resolve.paths import Paths
from generator.runtime_names import SHARED_SCHEMAS
from generator.spec import (
    Document,
    Positions,
    PredicateSpec,
    RecordSpec,
    Spec,
    Specs,
    StateGraphSpec,
    StructureSpec,
)
from runtime.model.catalog import BUILT_IN_ROLES

CheckFilter = Callable[[str, Record, Mapping[str, Structure]], str | None]
"""A filter, its record and the structures → what is wrong with the filter, or None."""

FindPlace = Callable[[], Place]
"""Finds where something is declared. A file is read for places only where there is something to report."""


CLASSES_OF_OBJECT = ("", "Input", "InRow")
"""What ends the names of the schemas of an object: as it is read, as it is sent, and in rows."""


@dataclass(frozen=True, slots=True)
class Where:
    """Finds the place of a value, or of a key, in one file."""

    at: Positions
    path: tuple[str | int, ...]
    is_key: bool = False

    def __call__(self) -> Place:
        return (self.at.key if self.is_key else self.at.value)(*self.path)


class Claim(NamedTuple):
    """A name that something took."""

    space: str
    name: str
    find: FindPlace
    what: str
    rule: str
    advice: str


@dataclass
class Context:
    """One run of ``resolve``. Names map to the first document that declares them.

    ``extended``: records of the service with the fields that the project adds. ``unsure``: class → its fields
    that are declared but broken. ``clashing``: records whose name is taken, whose routes and collections are
    then no second problem. ``unknown``, ``used``: the names in use that
    are not declared, and those that are.
    """

    specs: Specs
    check_filter: CheckFilter
    check_decided: CheckFilter = find_undecided
    records: Mapping[str, Document[RecordSpec]] = field(default_factory=dict)
    extended: Mapping[str, Document[RecordSpec]] = field(default_factory=dict)
    structures: Mapping[str, Document[StructureSpec]] = field(default_factory=dict)
    graphs: Mapping[str, Document[StateGraphSpec]] = field(default_factory=dict)
    predicates: Mapping[str, PredicateSpec] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    unsure: dict[str, frozenset[str]] = field(default_factory=dict)
    clashing: set[str] = field(default_factory=set)
    built_structures: Mapping[str, Structure] = field(default_factory=dict)
    claims: dict[tuple[str, str], Claim] = field(default_factory=dict)
    history: list[Claim] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)

    @cached_property
    def former_areas(self) -> Mapping[str, str]:
        """The former names of areas that were renamed, by name, without those that other areas have."""
        own = self.specs.about_service
        taken = own.areas.keys() | self.specs.system.areas.keys()
        return {area: former for area, former in own.former_areas.items() if former not in taken}

    def report(self, place: Place, rule: str, message: str) -> None:
        """Add one problem."""
        self.problems.append(Problem.at(place, rule, message))

    def warn(self, place: Place, rule: str, message: str) -> None:
        self.warnings.append(Problem.at(place, rule, message))

    def claim(
        self, space: str, name: str, find: FindPlace, what: str = "", rule: str = "SPEC022", advice: str = ""
    ) -> bool:
        """Take a name in a name space; False, with a problem, when something else has it already."""
        if space == "the class" and name in SHARED_SCHEMAS:
            self.report(find(), rule, f"{space} {name} of {what} is one of the service itself{advice}")
            return False
        claim = Claim(space, name, find, what, rule, advice)
        owner = self.claims.setdefault((space, name), claim)
        if owner is claim:
            self.history.append(claim)
            return True
        other, place, there = owner.what, find(), owner.find()
        if (other, there) == (what, place):
            return True
        if self._is_of_project(there) and not self._is_of_project(place):  # its author can change only this
            (other, there), (what, place) = (what, place), (other, there)
        where = f"{there.file}:{there.line}"
        clash = (
            f" of {what} is already that of {other} ({where})" if what else f" is already declared in {where}"
        )
        self.report(place, rule, f"{space} {name}{clash}{advice}")
        return False

    def _is_of_project(self, place: Place) -> bool:
        return place.file.startswith(f"{self.specs.root}/")

    def check_constants(self) -> None:
        """Check that no constant has the name of a class, which is imported as well. Needs all claims."""
        for (space, name), claim in tuple(self.claims.items()):
            other = self.claims.get(("the class", name)) if space == "the constant" else None
            if other and other.what:
                there = other.find()
                where = f"{there.file}:{there.line}"
                message = (
                    f"the constant {name} of {claim.what} is already the class of {other.what} ({where})"
                )
                self.report(claim.find(), "SPEC022", message)

    def filter_problem(self, text: str, record: Record) -> str | None:
        """Return what is wrong with a filter over a record, or None; a broken field leaves it unjudged."""
        wrong = self.check_filter(text, record, self.built_structures)
        if wrong is None:  # as most are; one that was right in an earlier run is not even parsed
            return None
        paths = Paths(self.built_structures, self.unsure)
        return None if any(paths.is_broken(record, path) for path in list_paths(text)) else wrong

    def may_exist(self, kind: str, name: str) -> bool:
        """Whether a file that could not be read declares the name, or may."""
        broken = self.specs.broken
        meant = broken.get("*", frozenset()) | broken.get(kind, frozenset())
        return bool({"*", name} & meant)

    def explain_former(self, kind: str, name: str) -> str | None:
        """Return what a record type is called now, if it was renamed."""
        renamed = (one.spec for one in self.records.values() if one.spec.renamed_from == name)
        found = next(renamed, None) if kind == "record" else None
        return f'; it is called "{found.record}" since' if found else None

    def find_word(self, name: str) -> str | None:
        """Return the word that gives a field a type of this name, if such a type is declared."""
        declared = {"reference": self.records, "structure": self.structures, "states": self.graphs}
        return next((word for word, names in declared.items() if name in names), None)

    @property
    def roles(self) -> frozenset[str]:
        """All role names."""
        return BUILT_IN_ROLES | self.specs.about_service.roles.keys()


class Spot(NamedTuple):
    """A place in one document, from which parts below it are named."""

    context: Context
    document: Document[Spec]
    path: tuple[str | int, ...] = ()

    def within(self, *steps: str | int) -> Spot:
        return Spot(self.context, self.document, (*self.path, *steps))

    def report(self, rule: str, message: str, *steps: str | int) -> None:
        """Report a problem at the value below this spot."""
        self.context.report(self.place(*steps), rule, message)

    def report_key(self, rule: str, message: str, *steps: str | int) -> None:
        """Report a problem at the key below this spot."""
        self.context.report(self.document.at.key(*self.path, *steps), rule, message)

    def place(self, *steps: str | int) -> Place:
        """Return where the value below this spot begins."""
        return self.document.at.value(*self.path, *steps)

    def at(self, *steps: str | int) -> FindPlace:
        """Return what finds where the value below this spot begins."""
        return Where(self.document.at, (*self.path, *steps))

    def at_key(self) -> FindPlace:
        """Return what finds where the key of this spot is."""
        return Where(self.document.at, self.path, is_key=True)

    def named(self, make: Callable[[str], Any], name: str, *steps: str | int, key: bool = False) -> Any:
        """``make(name)``, or None with a problem when the name is bad."""
        try:
            return make(name)
        except BadName as error:
            (self.report_key if key else self.report)("SPEC020", str(error), *steps)
            return None

    def known(
        self, kind: str, name: str, known: Mapping[str, object] | Iterable[str], *steps: str | int
    ) -> bool:
        """Whether such a name is declared; else a problem, unless an unreadable file may declare it."""
        rule, words = UNKNOWN[kind]
        if name in known:
            self.context.used.add((kind, name))
            return True
        if not self.context.may_exist(kind, name):
            hint = self._advise_on(kind, name, steps) or did_you_mean(name, known)
            message = f'unknown {words} "{name}"{hint}{REMARKS.get(kind, "")}'
            self.report_unknown(kind, name, rule, message, *steps)
        return False

    def report_unknown(self, kind: str, name: str, rule: str, message: str, *steps: str | int) -> None:
        """Report a name that is not declared, at the value below this spot."""
        self.report(rule, message, *steps)
        self.context.unknown.append(Unknown(kind, name, self.context.problems[-1]))

    def _advise_on(self, kind: str, name: str, steps: tuple[str | int, ...]) -> str | None:
        """Return what to write for a name that is unknown here, but means something elsewhere."""
        if kind == "operation" and name in OPERATIONS_ELSEWHERE:
            return f'; did you mean "{OPERATIONS_ELSEWHERE[name]}"?'
        if (kind, name) == ("record", "User"):
            return "; the users of the service are of the record type Credential"
        word = self.context.find_word(name) if steps and steps[-1] in NAMING_TYPES else None
        return f': write "{word}: {name}"' if word else self.context.explain_former(kind, name)
