"""Fields that a project adds to record types of the service: ``extend: Webhook``.

Both specifications become one, that of the project, whose places are found in the file that has them.
Everything after this sees one record type. The service itself creates, reads and changes such records by its
own record type, which does not know the further fields: it neither returns nor removes them. So they are not
required, and nothing that depends on a record's creation by the project may be declared of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from generator.problems import Place
from generator.resolve.context import Context, Spot
from generator.spec import Document, ExtensionSpec, Positions, RecordSpec

_OF_ADDED_FIELDS: Mapping[str, list[str]] = {
    "Credential": ["list", "find", "count", "schema", "id", "refName", "patch"]
}
"""Records that other routes manage: the operations that are there for the added fields alone."""

_NOT_ADDED = {
    "required": "the service creates such records without it: drop required",
    "states": "the service creates such records without a state: use an enum",
    "calculated": "the service saves such records without calculating it: drop calculated",
}


def extend_records(context: Context) -> Mapping[str, Document[RecordSpec]]:
    """Return the record types that are extended, as the project has them."""
    found: dict[str, Document[RecordSpec]] = {}
    sources: dict[str, str] = {}
    for document in context.specs.extensions:
        spot, name = Spot(context, document), document.spec.extend
        of_service = {name: one for name, one in context.records.items() if one.is_system}
        if name in found:
            spot.report(
                "SPEC021", f"{name} is extended in {sources[name]} already: add the fields there", "extend"
            )
        elif name in context.records and name not in of_service:
            spot.report(
                "SPEC026", f"{name} is a record of this project: add the fields to its own file", "extend"
            )
        elif spot.known("record", name, of_service, "extend"):
            if of_service[name].spec.endpoints == [] and name not in _OF_ADDED_FIELDS:
                spot.report(
                    "SPEC026", f"no caller knows records of {name}: extend another record type", "extend"
                )
            sources[name] = document.source
            found[name] = _join(spot, of_service[name], document)
    return found


def _join(spot: Spot, own: Document[RecordSpec], added: Document[ExtensionSpec]) -> Document[RecordSpec]:
    fields = {
        name: field for name, field in added.spec.fields.items() if _can_be_added(spot, own, added, name)
    }
    was, endpoints = own.spec.fields, own.spec.endpoints
    if own.spec.record in _OF_ADDED_FIELDS:
        was = {name: field.model_copy(update={"set_by": "server"}) for name, field in was.items()}
        endpoints = _OF_ADDED_FIELDS[own.spec.record]
    indexes = [*own.spec.indexes, *added.spec.indexes]
    update = {"fields": {**was, **fields}, "indexes": indexes, "endpoints": endpoints}
    spec = own.spec.model_copy(update=update)
    places = _Places(own.at, added.at, frozenset(fields), len(own.spec.indexes))
    source = f"{own.source} and {added.source}"
    own = replace(own, omitted=added.omitted, omitted_words=added.omitted_words)
    return replace(own, build=lambda: spec, at=places, source=source, is_system=False, digest="")


def _can_be_added(spot: Spot, own: Document[RecordSpec], added: Document[ExtensionSpec], name: str) -> bool:
    """Whether the field is a further one, and declares nothing that a further field cannot have."""
    if name in own.spec.fields:
        place = own.at.key("fields", name)
        message = (
            f"{own.spec.record} has a field {name} already ({place.file}:{place.line}): choose another name"
        )
        spot.report_key("SPEC026", message, "fields", name)
        return False
    for wrong in _list_wrong_words(added, name):
        spot.report_key("SPEC026", wrong, "fields", name)
    return True


def _list_wrong_words(added: Document[ExtensionSpec], name: str) -> Iterator[str]:
    field = added.spec.fields[name]
    for word, advice in _NOT_ADDED.items():
        if getattr(field, word):
            yield advice


@dataclass(frozen=True, slots=True)
class _Places:
    """Where things are in two files. The second has ``fields``, and the indexes from ``first_index`` on."""

    own: Positions
    added: Positions
    fields: frozenset[str]
    first_index: int

    def value(self, *path: str | int) -> Place:
        where, path = self._find(path)
        return where.value(*path)

    def key(self, *path: str | int) -> Place:
        where, path = self._find(path)
        return where.key(*path)

    def _find(self, path: tuple[str | int, ...]) -> tuple[Positions, tuple[str | int, ...]]:
        match path:
            case ("fields", str(name), *_) if name in self.fields:
                return self.added, path
            case ("indexes", int(number), *rest) if number >= self.first_index:
                return self.added, ("indexes", number - self.first_index, *rest)
            case _:
                return self.own, path
