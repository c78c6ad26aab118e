"""``StoreUsers``: user management over credentials in the store.

Every change that takes something away (a password, roles, the account) also ends the tokens issued
before: it raises the credential's token epoch in the same write and revokes its refresh families. Answers
never hold hidden fields. The log has a line for each.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from runtime.errors import Denied, Duplicate, NotFound, VersionConflict
from runtime.filter import equals, unchanged
from runtime.identity.credentials.credential_store import CredentialStore
from runtime.identity.credentials.credentials import PROVIDER_NAME, epoch_of, is_usable, login_failed, user_of
from runtime.identity.credentials.new_user import check_name, check_new_user, check_roles, new_credential
from runtime.identity.credentials.override_rules import check_impersonation, check_realm_pattern
from runtime.identity.credentials.password_rules import check_new_password, require_password_user
from runtime.identity.credentials.passwords import ALGORITHM, check_off_loop, hash_off_loop
from runtime.identity.credentials.removed_users import user_id_taken
from runtime.identity.credentials.stored_granter import granted_by
from runtime.identity.credentials.user_id_rules import normal_user_id
from runtime.identity.users.user_events import report_change
from runtime.model.catalog import BUILT_IN_ROLES
from runtime.model.clock import from_seconds
from runtime.seams import NewUser, User, UserKey, Within
from runtime.settings import Settings
from runtime.storage.wire import without
from runtime.system.documents import CredentialDocument
from runtime.system.record_types import CREDENTIAL

_MOST_RACES = 20
_GAINED: Final = {"ends_tokens": False, "ends_applications": True}  # they were granted less


class StoreUsers:
    """Meets ``UserManagement``. ``known_roles``: all that may be given."""

    name = PROVIDER_NAME

    def __init__(
        self,
        credentials: CredentialStore,
        settings: Settings,
        known_roles: Collection[str] = BUILT_IN_ROLES,
    ) -> None:
        self.credentials = credentials
        self.known_roles = frozenset(known_roles)
        self._least = settings.password_min_length
        self._cost = settings.bcrypt_cost
        self._issuer = settings.token_issuer

    async def create_user(self, new: NewUser, within: Within) -> User:
        """Create a user. The realm needs its indexes, since user ids are unique in a realm across tenants.

        Raises ``ValidationFailed``, ``Denied`` outside ``within`` and ``Duplicate``.
        """
        return user_of(await self.create(new, within), within.realm)

    async def create(self, new: NewUser, within: Within) -> CredentialDocument:
        """Create a user and return the credential as stored, without its hidden fields."""
        realm = new.realm or within.realm
        new = replace(new, user_id=normal_user_id(new.user_id))
        check_new_user(new, realm, self.known_roles)
        if realm != within.realm:
            raise Denied("users are created in the realm of the call: leave out the realm, or call there")
        await check_new_password(new.password, new.user_id, least=self._least, path="password")
        hashed = await hash_off_loop(new.password, self._cost)
        at = from_seconds(self.credentials.clock())
        document = new_credential(new, realm, hashed, issuer=self._issuer, at=at, audit=within.audit)
        try:
            made = await self.credentials.insert(document, within)
        except Duplicate:
            raise user_id_taken(new.user_id, realm) from None
        if not made:
            raise NotFound(f"the realm {realm} does not exist")
        report_change("user.created", document, within)
        return without(document, CREDENTIAL.hidden)

    async def find_user(self, key: UserKey, within: Within) -> User:
        """Find a user. Raises ``NotFound``."""
        return user_of(await self._read(key, within), within.realm)

    async def list_users(self, within: Within, skip: int = 0, limit: int = 0) -> list[User]:
        """List users by user id, without case; all when ``limit`` is 0."""
        return [user_of(one, within.realm) for one in await self.credentials.read_page(within, skip, limit)]

    async def remove_user(self, key: UserKey, within: Within) -> None:
        """Delete the record; its user id is not given out again. Raises ``NotFound``."""
        removed = await self.credentials.remove(key, within)
        if removed is None:
            await self._read(key, within)
            raise _changing(key)
        report_change("user.removed", removed, within)

    async def release_user_id(self, user_id: str, within: Within) -> None:
        """Release the id of a removed user; its next holder owns their records. Raises ``NotFound``."""
        released = await self.credentials.removed.release(user_id, within.realm)
        if released is None:
            raise NotFound(f"no removed user {user_id[:100]} in the realm {within.realm}")
        report_change("user.id_released", released, within)

    async def change_password(
        self, key: UserKey, old: str, new: str, force_change: bool, within: Within
    ) -> None:
        """Change the user's own password. Raises ``LoginFailed`` and ``ValidationFailed``."""
        stored = await self.credentials.find(key, within)
        name = "" if stored is None else stored["userId"]
        await check_new_password(new, name, least=self._least, old=old)
        hashed = stored.get("passwordHash") if stored else None
        right = await check_off_loop(old, hashed, self._cost)
        if not right or stored is None or not is_usable(stored):
            raise login_failed()
        await self.replace_password(stored, new, force_change, within)

    async def reset_password(self, key: UserKey, new: str, force_change: bool, within: Within) -> None:
        """Set a user's password as an administrator. Raises ``NotFound`` and ``ValidationFailed``."""
        stored = await self._read(key, within)
        require_password_user(stored)
        await check_new_password(new, stored["userId"], least=self._least)
        values = await self._hash_password(new, force_change)
        report_change("user.password_reset", await self._change(key, within, values), within)

    async def replace_password(
        self, stored: CredentialDocument, new: str, force_change: bool, within: Within
    ) -> None:
        """Replace the password. Raises ``LoginFailed`` if somebody else has ended the tokens since."""
        values = await self._hash_password(new, force_change)
        key, same = UserKey(subject=stored["subject"]), equals(tokenEpoch=epoch_of(stored))
        if await self.credentials.change(key, within, values, same=same) is None:
            raise login_failed()
        report_change("user.password_changed", stored, within)

    async def assign_roles(self, key: UserKey, roles: Collection[str], within: Within) -> frozenset[str]:
        """Add roles to a user. Returns all their roles. Raises ``NotFound`` and ``ValidationFailed``."""
        check_roles(roles, self.known_roles)
        return await self._set_roles(key, within, add=frozenset(roles))

    async def remove_roles(self, key: UserKey, roles: Collection[str], within: Within) -> frozenset[str]:
        """Remove roles, if present. Returns those that remain. Raises ``NotFound``, ``ValidationFailed``."""
        check_roles(roles, self.known_roles | await self.list_roles(key, within))
        return await self._set_roles(key, within, take=frozenset(roles))

    async def list_roles(self, key: UserKey, within: Within) -> frozenset[str]:
        """Return the roles of a user. Raises ``NotFound``."""
        return frozenset((await self._read(key, within)).get("roles") or ())

    async def find_subject(self, user_id: str, within: Within) -> str:
        """Return the subject of a user id. Raises ``NotFound``."""
        return str((await self._read(UserKey(user_id=user_id), within))["subject"])

    async def find_user_id(self, subject: str, within: Within) -> str:
        """Return the user id of a subject. Raises ``NotFound``."""
        return str((await self._read(UserKey(subject=subject), within))["userId"])

    async def check_user_id_exists(self, user_id: str, within: Within) -> bool:
        """Return whether there is a user with this id within the scope."""
        return await self.credentials.find(UserKey(user_id=user_id), within) is not None

    async def check_subject_exists(self, subject: str, within: Within) -> bool:
        return await self.credentials.find(UserKey(subject=subject), within) is not None

    async def disable_user(self, key: UserKey, within: Within) -> None:
        """Disable a user. Raises ``NotFound``."""
        report_change("user.disabled", await self._change(key, within, {"disabled": True}), within)

    async def enable_user(self, key: UserKey, within: Within) -> None:
        """Enable a user; tokens from before stay void. Raises ``NotFound``."""
        changed = await self._change(key, within, {"disabled": False}, ends_tokens=False)
        report_change("user.enabled", changed, within)

    async def enable_impersonation(self, key: UserKey, filter_script: str, within: Within) -> None:
        """Let a user act as others. Raises ``NotFound``, and ``ValidationFailed`` for a bad filter."""
        check_impersonation(filter_script, CREDENTIAL)
        granter = granted_by(within.granter)
        values: CredentialDocument = {
            "impersonationEnabled": True,
            "impersonateFilterScript": filter_script,
            **granter,
        }
        changed = await self._change(key, within, values, **_GAINED)
        report_change("user.impersonation_enabled", changed, within, **granter)

    async def disable_impersonation(self, key: UserKey, within: Within) -> None:
        """Stop a user from acting as others. Raises ``NotFound``."""
        gone = ("impersonateFilterScript", *granted_by(None))
        changed = await self._change(key, within, {"impersonationEnabled": False}, unset=gone)
        report_change("user.impersonation_disabled", changed, within)

    async def enable_realm_override(self, key: UserKey, realm_reg_ex: str, within: Within) -> None:
        """Open other realms to a user. Raises ``NotFound``, and ``ValidationFailed`` for a bad pattern."""
        check_realm_pattern(realm_reg_ex)
        changed = await self._change(key, within, {"realmRegEx": realm_reg_ex}, **_GAINED)
        report_change("user.realm_override_enabled", changed, within)

    async def disable_realm_override(self, key: UserKey, within: Within) -> None:
        """Close all other realms to a user. Raises ``NotFound``."""
        changed = await self._change(key, within, {}, unset=("realmRegEx",))
        report_change("user.realm_override_disabled", changed, within)

    async def _read(self, key: UserKey, within: Within) -> CredentialDocument:
        """Read a credential. Raises ``NotFound``, and ``VersionConflict`` if it is not ``within.version``."""
        stored = await self.credentials.find(key, within)
        if stored is None:
            raise NotFound(f"no user {key} in the realm {within.realm}")
        if within.version not in (None, stored.get("version")):
            raise _changing(key)
        return stored

    async def _change(
        self, key: UserKey, within: Within, values: CredentialDocument, **how: Any
    ) -> CredentialDocument:
        changed = await self.credentials.change(key, within, values, **how)
        if changed is None:
            await self._read(key, within)
            raise _changing(key)
        return changed

    async def _set_roles(
        self,
        key: UserKey,
        within: Within,
        *,
        add: frozenset[str] = frozenset(),
        take: frozenset[str] = frozenset(),
    ) -> frozenset[str]:
        """Check-and-set on the version, so that of two changes at once none is lost."""
        for _ in range(_MOST_RACES):
            stored = await self._read(key, within)
            before = frozenset(stored.get("roles") or ())
            if (roles := before - take | add) == before:  # nothing changes, so no token ends
                return roles
            check_roles(roles, self.known_roles | roles)
            check_name(stored["userId"], roles, self.known_roles)
            same = unchanged("version", stored.get("version"))
            values: CredentialDocument = {"roles": sorted(roles)}
            changed = await self.credentials.change(key, within, values, same=same)
            if changed is not None:
                report_change("user.roles", changed, within, roles=sorted(roles))
                return roles
        raise _changing(key)

    async def _hash_password(self, new: str, force_change: bool) -> CredentialDocument:
        hashed = await hash_off_loop(new, self._cost)
        return {"passwordHash": hashed, "hashingAlgorithm": ALGORITHM, "forceChangePassword": force_change}


def _changing(key: UserKey) -> VersionConflict:
    return VersionConflict(f"the user {key} is being changed by others: try again")
