"""Indexes: those of the record, and those that unique, indexed and tracked fields ask for."""

from collections.abc import Iterator

from generator.model import Field, Kind, Record, Type, walk_fields
from generator.resolve.context import Spot
from generator.resolve.marks import read_language
from generator.resolve.paths import Missing, Paths, advise_order, is_list
from generator.spec import IndexSpec, RecordSpec
from generator.types import TYPES
from runtime.filter import split_marks
from runtime.model.paths import around, top_of
from runtime.model.record_type import Index
from runtime.storage.index_conflicts import MOST_INDEXES

Keys = tuple[tuple[str, int], ...]

_OF_EVERY_RECORD = 3  # the id, the tenant with the id, the refName
_MOST_FIELDS = 30  # MongoDB takes 32 keys, of which two are the tenant and the id
_MOST_SECONDS = 2**31 - 1  # as MongoDB has it
_MOMENTS = (Kind.DATE, Kind.DATETIME)


def build_indexes(spot: Spot, spec: RecordSpec, record: Record, paths: Paths) -> tuple[Index, ...]:
    """Resolve the indexes: declared ones first, then those of fields in field order, without duplicates."""
    declared: dict[tuple[Keys, str | None], Index] = {}
    for position, one in enumerate(spec.indexes):
        below = spot.within("indexes", position)
        index = _build_declared(below, one, record, paths)
        if index is None:
            continue
        if (index.keys, index.language) in declared:
            below.report("SPEC053", "an index over the same fields is already listed")
        declared[index.keys, index.language] = index
    found = list(declared.values())
    for index in _of_fields(record.fields, "", paths):
        if not any(_covers(one, index) for one in found):
            found.append(index)
    _check_count(spot, record, found, paths)
    return tuple(found)


def _covers(present: Index, wanted: Index) -> bool:
    """Whether an index does what another would: both are unique, or both serve the lists of a tenant."""
    if (present.keys, present.unique, present.language) != (wanted.keys, wanted.unique, wanted.language):
        return False
    return wanted.unique or not present.per_realm


def _check_count(spot: Spot, record: Record, indexes: list[Index], paths: Paths) -> None:
    keys = {(index.keys, index.unique, index.per_realm, index.language) for index in indexes}
    covered = {index.keys[0][0] for index in indexes if len(index.keys) == 1 and not index.per_realm}
    walked = walk_fields(record.fields, paths.structures)
    keyed = {path.replace("[]", "") for path, _field, kind in walked if kind.kind is Kind.REFERENCE}
    references = {f"{path}.entityId" for path in keyed} - covered
    has_text = any(field.type.kind is Kind.TEXT and not field.hidden for field in record.fields)
    renamed = {field.name for field in record.fields if field.renamed_from}
    twins = [one for one in (*(key for key, *_ in keys), *(((key, 1),) for key in references))
             if any(top_of(path) in renamed for path, _direction in one)]  # fmt: skip
    count = _OF_EVERY_RECORD + len(keys) + len(references) + has_text + len(twins)
    if count > MOST_INDEXES:
        message = f"{record.name} has {count} indexes, but MongoDB allows {MOST_INDEXES} per collection"
        advice = "each indexed or unique field and each reference is one: drop some"
        spot.report("SPEC053", f"{message}; {advice}", "record")


def _build_declared(spot: Spot, spec: IndexSpec, record: Record, paths: Paths) -> Index | None:
    entries = [split_marks(name.removeprefix("-")) for name in spec.fields]
    signs = [-1 if name.startswith("-") else 1 for name in spec.fields]
    keys = tuple((path, sign) for (path, _marks), sign in zip(entries, signs, strict=True))
    fine = bool(keys)
    if not keys:
        spot.report("SPEC053", "an index has at least one field")
    if len(keys) > _MOST_FIELDS:
        spot.report("SPEC053", f"an index has at most {_MOST_FIELDS} fields, here are {len(keys)}", "fields")
        fine = False
    found: list[Type] = []
    for position, (path, _direction) in enumerate(keys):
        below = spot.within("fields", position)
        if path in [earlier for earlier, _ in keys[:position]]:
            below.report("SPEC053", f'"{path}" is listed twice in the index')
            fine = False
        kind = paths.of_record(record, path)
        fine = _check_key(below, path, kind) and fine
        found += [kind] if isinstance(kind, Type) else []
    fine = _check_expiry(spot, spec, found) and _check_lists(spot, keys, record, paths) and fine
    language = None
    if fine and len(found) == len(keys):
        named, marks = zip(*entries, strict=True)
        language, fine = read_language(spot, named, found, marks, unique=spec.unique)
    if not fine:
        return None
    expires = spec.expire_after_seconds
    return Index(keys, spec.unique, spec.per_realm or expires is not None, expires, language)


def _check_key(spot: Spot, path: str, kind: Type | Missing | None) -> bool:
    if isinstance(kind, Missing):
        near = advise_order(path) or kind.advise()
        spot.report("SPEC034", f'index over the unknown field "{path}"{near}')
        return False
    if kind is None:
        return True
    target = kind.element
    if target.kind is Kind.REFERENCE:
        spot.report("SPEC053", f'{path} is a reference: write "{path}.entityId"')
        return False
    if not TYPES[target.kind].indexable:
        spot.report("SPEC053", f"{path} is of type {target.kind.value}, which cannot be indexed")
        return False
    return True


def _check_lists(spot: Spot, keys: Keys, record: Record, paths: Paths) -> bool:
    """Report an index over two lists, unless one is inside the other: the store refuses such records."""
    deepest: tuple[str, ...] = ()
    for position, (path, _direction) in enumerate(keys):
        lists = tuple(part for part in (*around(path), path) if is_list(paths.of_record(record, part)))
        shared = min(len(lists), len(deepest))
        if lists[:shared] != deepest[:shared]:
            message = (
                f"{lists[-1]} and {deepest[-1]} are two lists, and an index takes one: write two indexes"
            )
            spot.report("SPEC053", message, "fields", position)
            return False
        deepest = max(deepest, lists, key=len)
    return True


def _check_expiry(spot: Spot, spec: IndexSpec, found: list[Type]) -> bool:
    seconds = spec.expire_after_seconds
    if seconds is None or len(found) != len(spec.fields):
        return True
    if not 0 <= seconds <= _MOST_SECONDS:
        message = f"expireAfterSeconds is not between 0 and {_MOST_SECONDS}, some 68 years"
        spot.report("SPEC053", message, "expireAfterSeconds")
        return False
    if len(found) != 1 or found[0].kind not in _MOMENTS:
        message = "expireAfterSeconds needs an index over exactly one datetime field"
        spot.report("SPEC053", message, "expireAfterSeconds")
        return False
    return True


def _of_fields(fields: tuple[Field, ...], prefix: str, paths: Paths) -> Iterator[Index]:
    for field in fields:
        path = f"{prefix}{field.name}"
        target = field.type.element
        key = f"{path}.entityId" if target.kind is Kind.REFERENCE else path
        is_unique = TYPES[field.type.kind].unique and field.unique
        if is_unique:
            yield Index(((key, 1),), unique=True)
        if is_unique and (field.required or not field.indexed):
            continue  # that one finds the value; of a required field it also sorts
        if (field.indexed or field.track) and (TYPES[target.kind].indexable):
            yield Index(((key, 1),))
        if target.kind in (Kind.OBJECT, Kind.STRUCTURE):
            yield from _of_fields(paths.below(target) or (), f"{path}.", paths)
