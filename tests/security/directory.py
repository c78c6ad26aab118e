"""A second authentication provider: a directory in memory, with tokens of its own and its own users."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from runtime.errors import Duplicate, LoginFailed, NotFound, Unauthenticated
from runtime.principal import DomainContext, Identity
from runtime.seams import LoggedIn, NewUser, User, UserKey, Within


@dataclass
class Person:
    user: User
    password: str


@dataclass
class Directory:
    """``asked`` lists what it was told at logins."""

    name: str = "directory"
    people: dict[str, Person] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)
    refreshing: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def log_in(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn:
        self.asked.append((user_id, password))
        person = self.people.get(user_id.casefold())
        if person is None or person.password != password or person.user.disabled:
            raise LoginFailed("not in the directory")
        return self._tokens(person.user)

    async def refresh(self, refresh_token: str) -> LoggedIn:
        subject = self.refreshing.pop(refresh_token, None)
        if subject is None:
            raise LoginFailed("no token of the directory")
        return self._tokens(self._person(UserKey(subject=subject)).user)

    async def validate(self, access_token: str) -> Identity:
        subject = self.access.get(access_token)
        if subject is None:
            raise Unauthenticated("no token of the directory", bad_token=True)
        return _identity(self._person(UserKey(subject=subject)).user)

    async def create_user(self, new: NewUser, within: Within) -> User:
        if new.user_id.casefold() in self.people:
            raise Duplicate("the directory has this user", fields=["userId"])
        domain = DomainContext(new.tenant_id, within.realm, new.org_ref_name)
        user = User(new.user_id, f"d-{new.user_id}", self.name, new.roles, domain)
        self.people[new.user_id.casefold()] = Person(user, new.password)
        return user

    async def find_user(self, key: UserKey, within: Within) -> User:
        return self._within(key, within).user

    async def remove_user(self, key: UserKey, within: Within) -> None:
        person = self._within(key, within)
        del self.people[person.user.user_id.casefold()]
        self._end(person.user.subject)

    async def change_password(
        self, key: UserKey, old: str, new: str, force_change: bool, within: Within
    ) -> None:
        if self._within(key, within).password != old:
            raise LoginFailed("not the password")
        await self.reset_password(key, new, force_change, within)

    async def reset_password(self, key: UserKey, new: str, force_change: bool, within: Within) -> None:
        person = self._within(key, within)
        person.password = new
        self._end(person.user.subject)

    async def assign_roles(self, key: UserKey, roles: Collection[str], within: Within) -> frozenset[str]:
        return self._set(key, within, lambda user: replace(user, roles=user.roles.union(roles))).roles

    async def remove_roles(self, key: UserKey, roles: Collection[str], within: Within) -> frozenset[str]:
        return self._set(key, within, lambda user: replace(user, roles=user.roles.difference(roles))).roles

    async def list_roles(self, key: UserKey, within: Within) -> frozenset[str]:
        return self._within(key, within).user.roles

    async def find_subject(self, user_id: str, within: Within) -> str:
        return self._within(UserKey(user_id=user_id), within).user.subject

    async def find_user_id(self, subject: str, within: Within) -> str:
        return self._within(UserKey(subject=subject), within).user.user_id

    async def check_user_id_exists(self, user_id: str, within: Within) -> bool:
        return self._is_there(UserKey(user_id=user_id), within)

    async def check_subject_exists(self, subject: str, within: Within) -> bool:
        return self._is_there(UserKey(subject=subject), within)

    async def disable_user(self, key: UserKey, within: Within) -> None:
        self._end(self._set(key, within, lambda user: replace(user, disabled=True)).subject)

    async def enable_user(self, key: UserKey, within: Within) -> None:
        self._set(key, within, lambda user: replace(user, disabled=False))

    async def enable_impersonation(self, key: UserKey, filter_script: str, within: Within) -> None:
        self._set(key, within, lambda user: replace(user, impersonate_filter_script=filter_script))

    async def disable_impersonation(self, key: UserKey, within: Within) -> None:
        self._set(key, within, lambda user: replace(user, impersonate_filter_script=None))

    async def enable_realm_override(self, key: UserKey, realm_reg_ex: str, within: Within) -> None:
        self._set(key, within, lambda user: replace(user, realm_reg_ex=realm_reg_ex))

    async def disable_realm_override(self, key: UserKey, within: Within) -> None:
        self._set(key, within, lambda user: replace(user, realm_reg_ex=None))

    def _tokens(self, user: User) -> LoggedIn:
        access, refreshing = f"dir-{secrets.token_hex(8)}", f"dir-{secrets.token_hex(8)}"
        self.access[access] = self.refreshing[refreshing] = user.subject
        return LoggedIn(_identity(user), access, refreshing, 60)

    def _end(self, subject: str) -> None:
        self.access = {token: one for token, one in self.access.items() if one != subject}
        self.refreshing = {token: one for token, one in self.refreshing.items() if one != subject}

    def _set(self, key: UserKey, within: Within, change: Callable[[User], User]) -> User:
        person = self._within(key, within)
        person.user = change(person.user)
        return person.user

    def _is_there(self, key: UserKey, within: Within) -> bool:
        try:
            return self._within(key, within) is not None
        except NotFound:
            return False

    def _within(self, key: UserKey, within: Within) -> Person:
        person = self._person(key)
        domain = person.user.domain
        if domain.default_realm != within.realm or within.domain.tenant_id not in (None, domain.tenant_id):
            raise NotFound("not in the directory")
        return person

    def _person(self, key: UserKey) -> Person:
        for name, person in self.people.items():
            if person.user.subject == key.subject or name == (key.user_id or "").casefold():
                return person
        raise NotFound("not in the directory")


@dataclass
class Gate:
    """A provider that only logs in: it manages no users."""

    name: str = "gate"
    asked: int = 0

    async def log_in(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn:
        self.asked += 1
        raise LoginFailed("the gate is shut")

    async def refresh(self, refresh_token: str) -> LoggedIn:
        raise LoginFailed("the gate is shut")

    async def validate(self, access_token: str) -> Identity:
        raise Unauthenticated("the gate is shut", bad_token=True)


def _identity(user: User) -> Identity:
    return Identity(user.user_id, user.subject, user.domain.default_realm, user.roles, user.domain)
