"""Rows of a file → what to write for each, as a profile says.

For every cell: transformations, lookup, resolver, typed value. Values are looked up once a batch. Every
finding is an error of its row, with field, value and, where there is a near one, a suggestion. Of a row that
is to be skipped only the refName is read. With ``VERTICAL`` the rows of one entity are adjacent and become
one. What may take long, rows with many cells or characters and regular expressions, is done in a thread.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final, TypeAlias

from runtime.contract.imports import RowCode, VerticalColumn
from runtime.errors import ServiceError
from runtime.event_loop import Pace, let_others_run
from runtime.logs import log
from runtime.seams import ImportContext, Resolution, RowValueResolver
from runtime.storage.wire import plain_text
from runtime.transfer.profiles.lookup import Lookups, Remembered
from runtime.transfer.profiles.mapped_row import Draft, Layout, MappedColumn, fill, fill_list, fill_value
from runtime.transfer.profiles.row_reader import Entity, Row, RowReader
from runtime.transfer.rows.large import LARGE, run_if
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import REF_NAME, TENANT, FileTerms, InputRow

Reached: TypeAlias = tuple[str | None, int]
"""A tenant, None where the scope of the caller says it, and the position of a column."""

_AT_A_STRETCH: Final = 20
"""Rows that are mapped while all else in the worker waits; a row may have many columns."""


class RowMapper:
    """Reads the rows of one file, batch by batch and in their order; it remembers what was looked up.

    ``tenant``: that of rows which name none, for a caller that is bound to no tenant; None for other callers.
    """

    def __init__(
        self,
        layout: Layout,
        terms: FileTerms,
        *,
        realm: str,
        session: str,
        profile: str,
        tenant: str | None = None,
    ) -> None:
        self._layout = layout
        self._terms = terms
        self._where = (realm, session, profile)
        self._tenant, self._tenant_columns = tenant, layout.find_plain(TENANT)
        named = () if tenant is None else layout.columns
        self._tenants_at = [column.at for column in named if column.target.path == TENANT]
        self._lookups = {column.at: (column, column.lookup) for column in layout.columns if column.lookup}
        self._remembered: dict[Reached, Remembered] = {}
        runs = groupby(layout.columns, lambda column: column.resolver is not None)
        self._runs = [(has_resolver, tuple(columns)) for has_resolver, columns in runs]
        self._reader = RowReader(layout)
        self._held = Entity()
        self._reported: set[str] = set()  # columns whose resolver has failed

    async def read(self, rows: Sequence[Row], lookups: Lookups, *, is_last: bool = False) -> list[InputRow]:
        """Read the rows of a batch: their numbers and their cells. ``is_last``: nothing follows.

        Without it the last entity of a VERTICAL file is held back, since its rows may go on.
        """
        drafts = await self._begin_rows(list(self._group_rows(rows, is_last)))
        for at in self._lookups:
            collect = partial(self._collect_texts, drafts, at)
            found = await run_if(collect, is_long=any(draft.cost > LARGE for draft in drafts))
            for tenant, texts in found.items():
                await self._remember(tenant, at).prepare(texts, lookups)
        pace = Pace(_AT_A_STRETCH)
        for draft in drafts:
            await self._complete(draft)
            await pace.step()
        return [draft.finish(self._terms) for draft in drafts]

    def _group_rows(self, rows: Sequence[Row], is_last: bool) -> Iterator[Entity]:
        """Yield the rows that make one record: each alone, or adjacent ones with one key."""
        if not self._layout.vertical:
            yield from (Entity([row]) for row in rows)
            return
        held = self._held
        for row in rows:
            if held.rows and not self._goes_on(held.rows[0], row):
                yield held
                held = Entity()
            held.add(row)
        if is_last and held.rows:
            yield held
            held = Entity()
        self._held = held

    def _goes_on(self, first: Row, row: Row) -> bool:
        """Return whether a row is of the entity that another begins, which is in one tenant."""
        if self._entity(first) != self._entity(row):
            return False
        both = (first[1], row[1])
        tenants = {cells[at].strip() for cells in both for at in self._tenants_at if at < len(cells)}
        return len(tenants - {""}) < 2

    def _entity(self, row: Row) -> object:
        """Return what rows of one entity have in common; a row without that cell is an entity of its own."""
        number, cells = row
        at = self._layout.vertical[VerticalColumn.ENTITY_KEY]
        return self._layout.remove_guard(cells[at]).strip() if at < len(cells) else number

    async def _begin_rows(self, entities: Sequence[Entity]) -> list[Draft]:
        """Do everything up to the lookups."""
        drafts: list[Draft] = []
        while len(drafts) < len(entities):
            some = entities[len(drafts) : len(drafts) + _AT_A_STRETCH]
            begin, is_long = partial(self._reader.begin_some, some), self._reader.is_long(some[0])
            drafts += await run_if(begin, is_long=is_long)
            await let_others_run()
        return drafts

    async def _complete(self, row: Draft) -> None:
        """Run lookups, resolvers and types."""
        if not row.is_read:
            self._keep_name(row)
            return
        for has_resolver, columns in self._runs:
            if not has_resolver:
                await run_if(partial(self._fill, row, columns), is_long=row.cost > LARGE)
                continue
            for column in columns:
                await self._resolve(row, column)
                if row.skip_reason is not None:
                    self._keep_name(row)
                    return
        if self._layout.vertical:
            self._set_key(row)

    def _keep_name(self, row: Draft) -> None:
        """Store only the refName of a row that is skipped or cannot be read, for its report.

        What cannot be read is not an error of the row.
        """
        known = {REF_NAME: row.values[REF_NAME]} if REF_NAME in row.values else {}
        scratch = Draft(row.number, row.raw, None, values=known, texts=row.texts)
        self._fill(scratch, self._layout.find_plain(REF_NAME))
        if self._layout.vertical:
            self._set_key(scratch)
        name = scratch.values.get(REF_NAME)
        row.values = {} if name is None else {REF_NAME: name}

    def _fill(self, row: Draft, columns: Sequence[MappedColumn]) -> None:
        """Fill what columns without resolvers say."""
        for column in columns:
            texts = self._look_up(row, column)
            if texts is not None and column.separator is not None:
                fill_list(row, column, texts)
            elif texts is not None:
                fill(row, column, texts[0] if texts else None)

    def _look_up(self, row: Draft, column: MappedColumn) -> Sequence[str] | None:
        """Return what the texts of a cell become; None where the row has an error instead."""
        texts = row.texts.get(column.at)
        if texts is None or column.at not in self._lookups:
            return texts
        remembered = self._remember(self._find_tenant(row), column.at)
        results = [remembered.result(text) for text in texts]
        errors = [one for one in results if isinstance(one, RowError)]
        row.errors.extend(errors)
        return None if errors else [one for one in results if isinstance(one, str)]

    async def _resolve(self, row: Draft, column: MappedColumn) -> None:
        """Fill what the resolver of a column makes of its cell."""
        texts = self._look_up(row, column)
        if texts is None or column.resolver is None:
            return
        text = texts[0] if texts else None
        answer = await self._ask(column.resolver, column.name, text, row)
        match answer.outcome:
            case "skip":
                row.skip_reason = answer.reason or f"by the resolver of {column.name}"
            case "error":
                message = answer.reason or "the resolver refuses it"
                row.errors.add(RowError(RowCode.MAPPING, message, column.target.path, text))
            case "success":
                fill(row, column, answer.value)
            case "null":
                fill(row, column, None)
            case "passthrough":
                fill(row, column, text)

    async def _ask(self, resolver: RowValueResolver, name: str, text: str | None, row: Draft) -> Resolution:
        """Return the answer of a resolver, its value as text; an error of the row where the resolver fails.

        The first fault of each is logged with its cause; rows only name it. Raises what the service itself
        raises as a fault, such as ``StoreUnavailable``: the rows after this one would fail the same way.
        """
        realm, session, profile = self._where
        try:
            answer = await resolver(text, row.raw, ImportContext(realm, session, row.number, profile))
            if not isinstance(answer, Resolution):
                raise TypeError(f"the resolver returned {type(answer).__name__}, not a Resolution")
            is_success = answer.outcome == "success"
            text = plain_text(answer.value) if is_success else answer.reason
            (text or "").encode()  # raises for half of a character, which no answer can show
            return Resolution.success(text) if is_success else answer
        except Exception as error:  # whatever the application's code raises is about this row alone
            if isinstance(error, ServiceError) and error.status >= 500:
                raise
            if name not in self._reported:
                self._reported.add(name)
                log.error("import.resolver_fault", resolver=name, row=row.number, exc_info=error)
            return Resolution.error(f"the resolver of {name} failed on row {row.number}; it was logged")

    def _set_key(self, row: Draft) -> None:
        """Set the key of the record of a VERTICAL entity, where no column of its own names it."""
        key = self._layout.key
        column = self._layout.header[self._layout.vertical[VerticalColumn.ENTITY_KEY]]
        text = self._layout.remove_guard(row.raw.get(column, "")).strip()
        if not text:
            message = f"{VerticalColumn.ENTITY_KEY} is empty: it says which record the attribute belongs to"
            row.errors.add(RowError(RowCode.VALIDATION, message, VerticalColumn.ENTITY_KEY))
        elif key.path not in row.values:
            fill_value(row, key, text)

    def _collect_texts(self, drafts: Sequence[Draft], at: int) -> Mapping[str | None, set[str]]:
        """Return the texts of one column, to be looked up, by tenant."""
        found = defaultdict[str | None, set[str]](set)
        for draft in drafts:
            found[self._find_tenant(draft)].update(draft.texts.get(at, ()))
        return found

    def _remember(self, tenant: str | None, at: int) -> Remembered:
        if (reached := (tenant, at)) not in self._remembered:
            column, lookup = self._lookups[at]
            self._remembered[reached] = Remembered(lookup, column.target.path, tenant)
        return self._remembered[reached]

    def _find_tenant(self, row: Draft) -> str | None:
        """Return the tenant in which values of a row are looked up; None where the scope says it."""
        if self._tenant is None:
            return None
        texts = (text for column in self._tenant_columns for text in row.texts.get(column.at, ()))
        return next(texts, None) or self._tenant
