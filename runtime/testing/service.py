"""A service of the application in the current folder, as a process with a MongoDB and keys of its own.

It is served as ``recordsmith serve`` does, from a folder that is removed at the end. The store that
``MONGODB_URI`` names is never used: tests write and remove records.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import httpx2

from runtime.call import Service
from runtime.cli.opening import run_on_service
from runtime.identity.users.users import NewUser, create_user
from runtime.settings import Settings

_COMMAND: Final = "runtime.cli"
_STORE: Final = "MONGODB_URI"
_SETTINGS: Final = {"SERVICE_ENVIRONMENT": "development", "AUTH_BCRYPT_COST": "4", "LOG_LEVEL": "ERROR"}
_STOP_SECONDS: Final = 30


@dataclass(frozen=True, slots=True)
class Account:
    """A user to be created before the tests: where they belong, and as what."""

    user_id: str
    tenant: str
    roles: Collection[str] = ("user",)
    organisation: str | None = None


@dataclass(slots=True)
class ServiceUnderTest:
    """A running service and its users. Clients stay open until it ends."""

    url: str
    _passwords: Mapping[str, str] = field(repr=False)
    _clients: ExitStack = field(repr=False)
    _tokens: dict[str, str] = field(default_factory=dict, repr=False)

    def sign_in(self, user_id: str | None) -> httpx2.Client:
        """Return a client that calls the service as this user; None for a caller without a token."""
        headers = {} if user_id is None else self.headers(user_id)
        return self._clients.enter_context(httpx2.Client(base_url=self.url, headers=headers, timeout=30))

    def headers(self, user_id: str) -> dict[str, str]:
        """Return the headers of a user's requests. Raises ``KeyError`` for an unknown user."""
        if user_id not in self._tokens:
            body = {"userId": user_id, "password": self._passwords[user_id]}
            answer = httpx2.post(f"{self.url}/security/login", json=body, timeout=30).raise_for_status()
            self._tokens[user_id] = answer.json()["accessToken"]
        return {"Authorization": f"Bearer {self._tokens[user_id]}"}


@contextmanager
def start_service(accounts: Collection[Account], **settings: str) -> Iterator[ServiceUnderTest]:
    """Serve the application until the block ends, with these users.

    ``settings`` are environment variables, such as ``LIMITS_PAGE_SIZE="20"``. Raises ``RuntimeError`` with
    what the command says when the service does not start, ``ValidationFailed`` for a user that cannot be.
    """
    kept = {name: value for name, value in os.environ.items() if name != _STORE}
    environment = {**kept, **_SETTINGS, **settings}
    with ExitStack() as stack:
        name = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="recordsmith-", ignore_cleanup_errors=True)
        )
        url = stack.enter_context(_run(Path(name), environment))
        passwords = {one.user_id: secrets.token_urlsafe(18) for one in accounts}
        _create_users(Settings.read(environment, data_folder=Path(name)), accounts, passwords)
        yield ServiceUnderTest(url, passwords, stack.enter_context(ExitStack()))


@contextmanager
def _run(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Run the command until the block ends; yield the address. Its log goes to standard error."""
    words = ("serve", "--port", "0", "--json", "--data", str(folder))
    process = subprocess.Popen(
        [sys.executable, "-m", _COMMAND, *words], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        yield _read_address(process.stdout)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _read_address(output: IO[str] | None) -> str:
    """Read what the command says once it serves."""
    said = ""
    for line in output or ():
        said += line
        if line == "}\n":
            return str(json.loads(said)["url"])
    raise RuntimeError(f"the service did not start: {said}")


def _create_users(settings: Settings, accounts: Collection[Account], passwords: Mapping[str, str]) -> None:
    """Create the users next to the service, on the MongoDB of its folder."""

    async def create_all(service: Service) -> None:
        for one in accounts:
            roles, organisation = frozenset(one.roles), one.organisation
            new = NewUser(one.user_id, passwords[one.user_id], one.tenant, roles, org_ref_name=organisation)
            await create_user(service, new)

    run_on_service(settings, create_all)
