"""Creating realms and switching them off and on; what ``recordsmith realms`` does.

A realm is created in an order that a crash cannot spoil: indexes first, then seeds, its record last. Until
then nobody can act in it, and creating it again continues where it ended. An existing realm is completed in
the same way and stays as it is, switched off or not.
"""

from dataclasses import replace

from runtime.call import Service
from runtime.errors import Duplicate, NotFound, ValidationFailed
from runtime.filter import equals
from runtime.identity.realms.realms import Realm, read_realms, read_restoring, realm_of
from runtime.model.catalog import Catalog
from runtime.model.clock import from_seconds
from runtime.model.problems import require_no_faults
from runtime.model.realm_name import REALM_RULE, is_realm_name
from runtime.principal import DomainContext
from runtime.seeding import open_planting_call, plant
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.indexes import apply_indexes
from runtime.storage.own_documents import OF_NO_TENANT, build_update, complete_document
from runtime.system.documents import RealmDocument
from runtime.system.record_types import REALM


async def create_realm(
    service: Service,
    name: str,
    database: str | None = None,
    *,
    description: str | None = None,
    seed_tenant: str | None = None,
) -> Realm:
    """Make a realm, kept in ``database`` (by default one of its own name), or complete one that is there.

    ``seed_tenant``: plant the service's seeds for this tenant. Raises ``ValidationFailed`` for names that
    cannot be, ``Duplicate`` for a database that another realm has and for a realm that is kept elsewhere.
    """
    wanted = Realm(name, name if database is None else database, description=description)
    _require_sound(service, wanted)
    there = await _find(service, wanted, named_database=database is not None)
    realm = there or wanted
    await apply_indexes(service.store, realm.database, service.catalog)
    if seed_tenant is not None:
        domain = DomainContext(tenant_id=seed_tenant, default_realm=realm.name)
        await plant(await open_planting_call(service, realm.name, realm.database, domain))
    if there is None:
        await _insert(service, realm)
        service.realms.forget()
    return realm


async def list_realms(service: Service) -> list[Realm]:
    """List the default realm, then the others by name, active or not."""
    default = service.settings.default_realm
    restoring = await read_restoring(service.store, default)
    realms = await read_realms(service.store, default)
    return [replace(one, restoring=one.name in restoring) for one in realms]


async def set_realm_active(service: Service, name: str, active: bool) -> Realm:
    """Switch a realm off or on: its records stay.

    Raises ``NotFound``, ``ValidationFailed`` for the default realm.
    """
    if name == service.settings.default_realm:
        raise ValidationFailed(f"{name} is the default realm, which is always there")
    access = as_service(REALM, service.settings.default_realm, Action.UPDATE)
    changes = build_update({"active": active}, from_seconds(service.tokens.clock()))
    changed = await service.store.update_one(access, equals(refName=name), changes)
    if changed is None:
        raise NotFound(f"no realm {name[:40]}; `recordsmith realms list` shows all realms")
    service.realms.forget()
    return realm_of(changed)


def _require_sound(service: Service, realm: Realm) -> None:
    faults = {
        "refName": None if is_realm_name(realm.name) else REALM_RULE,
        "database": None if is_realm_name(realm.database) else REALM_RULE,
    }
    if realm.name == service.settings.default_realm:
        faults["refName"] = "is the default realm, which is always there"
    require_no_faults(faults)


async def _find(service: Service, wanted: Realm, *, named_database: bool) -> Realm | None:
    """Find the realm of this name. Raises ``Duplicate`` when it, or its database, differs from ``wanted``."""
    for other in await list_realms(service):
        if other.name == wanted.name:
            if named_database and other.database != wanted.database:
                raise Duplicate(f"the realm {other.name} is stored in {other.database}", fields=["refName"])
            return other
        if other.database == wanted.database:
            raise _taken(wanted)
    return None


async def _insert(service: Service, realm: Realm) -> None:
    fields: RealmDocument = {"database": realm.database, "active": True}
    if realm.description is not None:
        fields["description"] = realm.description
    document = complete_document(fields, realm.name, OF_NO_TENANT, from_seconds(service.tokens.clock()))
    default = service.settings.default_realm
    await apply_indexes(service.store, default, Catalog((REALM,)))  # they keep databases apart
    try:
        await service.store.insert(as_service(REALM, default, Action.CREATE), document)
    except Duplicate:
        raise _taken(realm) from None


def _taken(realm: Realm) -> Duplicate:
    message = f"another realm has this name or the database {realm.database}"
    return Duplicate(message, fields=["refName", "database"])
