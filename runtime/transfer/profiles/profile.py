"""An import profile, prepared for one file: header line → ``Layout``.

    plan = prepare(profile, kind, catalog, resolvers)     refuses a profile that cannot be applied
    layout = plan.layout(header)                          refuses a file that the profile does not fit
    rows = await RowMapper(layout, …).read(batch, …)      reads each row: what to write, or what is wrong

Columns are found by their name in the header, exactly as in the profile. Other columns are an error of the
file, unless ``unmappedColumns`` is IGNORE, or for the last column of an uploaded error file.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from runtime.contract.imports import VerticalColumn
from runtime.errors import InvalidParameter
from runtime.model.catalog import Catalog
from runtime.model.field_type import ValueKind
from runtime.model.import_columns import Modifier, split_name
from runtime.model.mappings import without_nones
from runtime.model.nearest import closest, did_you_mean, hint
from runtime.model.record_type import RecordType
from runtime.seams import RowValueResolver
from runtime.system.documents import ImportProfileColumnMappingDocument, ImportProfileDocument
from runtime.transfer.csv.columns import FINDINGS
from runtime.transfer.csv.dialect import remove_guard
from runtime.transfer.profiles.heading import Heading, find_key, problem, read_headings
from runtime.transfer.profiles.lookup import Lookup
from runtime.transfer.profiles.mapped_row import Layout, MappedColumn
from runtime.transfer.profiles.profile_check import HiddenFields, find_profile_problems, hidden_by_type
from runtime.transfer.profiles.profile_target import key_problem, target_of
from runtime.transfer.profiles.transformation import Transformation
from runtime.transfer.rows.dynamic import (
    DEFAULT_PREFIX,
    JSON_COLUMN,
    AttributeColumn,
    Merge,
    Strategy,
    parse_attribute_column,
)
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_error import RowRefused
from runtime.transfer.rows.torn import separator_hint

_MOST_SHOWN: Final = 10
"""Missing columns that an error names."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A profile that can be applied. ``merge`` is for ``dynamic.merge_attributes``."""

    kind: RecordType[Any]
    ref_name: str
    sources: Mapping[str, MappedColumn]
    intent_column: str | None = None
    default_intent: Intent = Intent.UPSERT
    has_modifiers: bool = False
    ignores_unmapped: bool = False
    strategy: Strategy | None = None
    prefix: str = DEFAULT_PREFIX
    discovers: bool = True
    merge: Merge = Merge.MERGE

    def layout(self, header: Sequence[str], *, guard: bool = True) -> Layout:
        """Find the columns of this header. ``guard``: texts may be guarded. Raises ``CsvProblem``."""
        texts = tuple((remove_guard(text) if guard else text).strip() for text in header)
        headings = read_headings(texts, self.has_modifiers)
        last = next((one for one in headings if one.at == len(texts) - 1), None)
        has_findings = last is not None and last.name == FINDINGS and self._is_unmapped(last)
        headings = headings[:-1] if has_findings else headings
        self._require_all(headings, {split_name(text, self.has_modifiers)[0] for text in texts})
        columns = tuple(self._build_columns(headings))
        vertical = self._find_vertical(headings)
        return Layout(
            header=texts,
            columns=columns,
            attributes=tuple(self._find_attributes(headings)),
            json_at=self._place(headings, JSON_COLUMN) if self._has_json else None,
            vertical=vertical,
            intent_at=self._place(headings, self.intent_column),
            default_intent=self.default_intent,
            key=find_key(self.kind, headings, columns, vertical.get(VerticalColumn.ENTITY_KEY)),
            merge=self.merge,
            guard=guard,
            has_findings=has_findings,
            has_modifiers=self.has_modifiers,
        )

    @property
    def _has_json(self) -> bool:
        return self.strategy in (Strategy.JSON_COLUMN, Strategy.HYBRID)

    def _build_columns(self, headings: Sequence[Heading]) -> Iterator[MappedColumn]:
        for heading in headings:
            source = self.sources.get(heading.name)
            if source is not None and (heading.modifier or source.modifier) is not Modifier.CALCULATED:
                yield self._build_column(heading, source)

    def _build_column(self, heading: Heading, source: MappedColumn) -> MappedColumn:
        target, modifier = source.target, heading.modifier or source.modifier
        if target.attribute is not None and (column := self._parse_attribute(heading)):
            target = replace(target, attribute=replace(target.attribute, type=column.type))
        if modifier is Modifier.KEY and (wrong := key_problem(self.kind, target)):
            raise problem(wrong, heading.at)
        return replace(source, at=heading.at, target=target, modifier=modifier)

    def _parse_attribute(self, heading: Heading) -> AttributeColumn | None:
        """Parse the header of an attribute's column; it may name nothing."""
        try:
            return parse_attribute_column(heading.name, self.prefix)
        except RowRefused as refused:
            raise problem(refused.error.message, heading.at) from None

    def _find_attributes(self, headings: Sequence[Heading]) -> Iterator[tuple[int, AttributeColumn]]:
        """Yield the columns of attributes that no mapping names."""
        if self.strategy not in (Strategy.DOT_NOTATION, Strategy.HYBRID):
            return
        given = {source.target.path for source in self.sources.values()}
        for heading in headings:
            if not self._is_unmapped(heading):
                continue
            found = self._parse_attribute(heading) if self.discovers else None
            if found is not None:
                if found.path in given:
                    raise problem(f"{found.path} is filled by another column already", heading.at)
                given.add(found.path)
                yield heading.at, found

    def _find_vertical(self, headings: Sequence[Heading]) -> Mapping[VerticalColumn, int]:
        if self.strategy is not Strategy.VERTICAL:
            return {}
        places = {one: self._place(headings, one) for one in VerticalColumn}
        for one, at in places.items():
            if at is None and one is not VerticalColumn.TYPE:
                raise problem(f"{one} is missing, which {Strategy.VERTICAL} needs")
        return without_nones(places)

    def _place(self, headings: Sequence[Heading], name: str | None) -> int | None:
        return next((heading.at for heading in headings if heading.name == name), None)

    def _is_unmapped(self, heading: Heading) -> bool:
        return heading.name not in self.sources and heading.name not in self._own_names

    @property
    def _own_names(self) -> Set[str]:
        """The columns that have a meaning of their own."""
        names = {self.intent_column} if self.intent_column else set[str]()
        if self._has_json:
            names.add(JSON_COLUMN)
        return names | (set(VerticalColumn) if self.strategy is Strategy.VERTICAL else set())

    def _require_all(self, headings: Sequence[Heading], names: Set[str]) -> None:
        """Require that every column is known, and every mapped one is there.

        ``names``: with those that are calculated.
        """
        wanted = [one for one in (*self.sources, *self._own_names) if one not in names]
        discovered = {at for at, _build_column in self._find_attributes(headings)}
        for heading in headings:
            if not self.ignores_unmapped and self._is_unmapped(heading) and heading.at not in discovered:
                near = separator_hint([one.text for one in headings]) or hint(heading.name, wanted)
                message = f"the profile {self.ref_name} does not map {heading.name[:100]}{near}"
                raise problem(message, heading.at)
        optional = (Modifier.OPTIONAL, Modifier.CALCULATED)
        sources = self.sources.values()
        missing = [one.name for one in sources if one.name not in names and one.modifier not in optional]
        if missing:
            raise problem(self._explain_missing(missing, headings))

    def _explain_missing(self, missing: Sequence[str], headings: Sequence[Heading]) -> str:
        near = separator_hint([one.text for one in headings])
        if not near:
            unmapped = [one.name for one in headings if self._is_unmapped(one)]
            meant = [closest(name, unmapped) for name in missing[:_MOST_SHOWN]]
            near = did_you_mean(list(dict.fromkeys(filter(None, meant))))
        shown = ", ".join(name[:100] for name in missing[:_MOST_SHOWN])
        more = f" and {len(missing) - _MOST_SHOWN} more" if len(missing) > _MOST_SHOWN else ""
        verb = "is" if len(missing) == 1 else "are"
        return f"{shown}{more} {verb} missing, which the profile {self.ref_name} maps{near}"


def prepare(
    profile: ImportProfileDocument,
    kind: RecordType[Any],
    catalog: Catalog,
    resolvers: Mapping[str, RowValueResolver],
    hidden: Set[str] = frozenset(),
    hidden_in: HiddenFields = hidden_by_type,
) -> Plan:
    """Prepare a stored ImportProfile for imports of ``kind``.

    ``hidden`` is that of ``find_profile_problems``.

    Raises ``InvalidParameter`` with ``violations`` where the profile is for another type, names a resolver
    that the application does not have, or names something that no longer exists.
    """
    name = str(profile["refName"])
    found = list(find_profile_problems(profile, catalog, resolvers, hidden, hidden_in))
    if not found and catalog[profile["targetType"]] is not kind:
        found = [{"path": "targetType", "message": f"is {profile['targetType']}, not {kind.shown_name}"}]
    if found:
        message = f"the profile {name} cannot be used: {found[0]['path']}: {found[0]['message']}"
        raise InvalidParameter(message, parameter="profileRefName", violations=found)
    has_modifiers = bool(profile.get("headerModifiers"))
    sources = [_build_source(one, kind, resolvers, has_modifiers) for one in profile["columnMappings"]]
    strategy = profile.get("dynamicAttributeStrategy")
    return Plan(
        kind=kind,
        ref_name=name,
        sources={source.name: source for source in sources},
        intent_column=profile.get("intentColumn"),
        default_intent=Intent(profile.get("defaultIntent") or Intent.UPSERT),
        has_modifiers=has_modifiers,
        ignores_unmapped=profile.get("unmappedColumns") == "IGNORE",
        strategy=None if strategy is None else Strategy(strategy),
        prefix=profile.get("dynamicAttributePrefix") or DEFAULT_PREFIX,
        discovers=profile.get("enableDynamicAttributeDiscovery") is not False,
        merge=Merge(profile.get("dynamicAttributeMergeStrategy") or Merge.MERGE),
    )


def _build_source(
    mapping: ImportProfileColumnMappingDocument,
    kind: RecordType[Any],
    resolvers: Mapping[str, RowValueResolver],
    has_modifiers: bool,
) -> MappedColumn:
    name, modifier = split_name(mapping["sourceColumn"], has_modifiers)
    target = target_of(kind, mapping["targetField"], modifier=modifier)
    lookup, resolver = mapping.get("lookup"), mapping.get("rowValueResolverName")
    element = target.type.item or target.type
    day_only = element.kind is ValueKind.DATE and lookup is None and resolver is None
    return MappedColumn(
        name,
        modifier,
        target,
        Transformation.of(mapping, day_only=day_only),
        None if lookup is None else Lookup.of(lookup),
        None if resolver is None else resolvers[resolver],
        mapping.get("listSeparator"),
    )
