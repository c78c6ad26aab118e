"""A small application of the runtime, for commands that need one: no generated code, real everything else.

Besides the usual pages it answers ``/pid`` and ``/slow?seconds=`` (which it finishes once begun).
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import APIRouter, FastAPI

from runtime import app
from runtime.call import Service
from runtime.record import Record, RecordInput
from runtime.record_type import Catalog, Index, RecordType
from runtime.settings import Settings
from runtime.system_records import SystemRecords


class Credential(Record):
    user_id: str
    subject: str
    domain_context: dict[str, Any]
    roles: list[str]
    disabled: bool | None = None
    force_change_password: bool | None = None
    realm_reg_ex: str | None = None
    area2_realm_overrides: dict[str, str] | None = None


class CredentialStored(RecordInput):
    login_name: str | None = None
    password_hash: str | None = None
    hashing_algorithm: str | None = None
    token_epoch: int | None = None


class RefreshFamily(Record):
    subject: str
    revoked: bool | None = None


class LoginAttempt(Record):
    key: str


CREDENTIAL = RecordType(
    name="Credential",
    area="system",
    domain="credential",
    model=Credential,
    input=RecordInput,
    stored=CredentialStored,
    collection="credentials",
    base_path="/system/credentials",
    hidden=frozenset({"loginName", "passwordHash", "hashingAlgorithm", "tokenEpoch"}),
    indexes=(Index((("loginName", 1),), unique=True, per_realm=True),),
)
REFRESH_FAMILY = RecordType(
    name="RefreshFamily",
    area="system",
    domain="refreshFamily",
    model=RefreshFamily,
    input=RecordInput,
    collection="refreshFamilies",
    base_path="/system/refresh-families",
)
LOGIN_ATTEMPT = RecordType(
    name="LoginAttempt",
    area="system",
    domain="loginAttempt",
    model=LoginAttempt,
    input=RecordInput,
    collection="loginAttempts",
    base_path="/system/login-attempts",
)
CATALOG = Catalog((CREDENTIAL, REFRESH_FAMILY, LOGIN_ATTEMPT))
SYSTEM = SystemRecords(CREDENTIAL, REFRESH_FAMILY, LOGIN_ATTEMPT)

router = APIRouter()


@router.get("/pid")
async def pid() -> int:
    return os.getpid()


@router.get("/slow")
async def slow(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "done"


def open_service(settings: Settings) -> AbstractAsyncContextManager[Service]:
    return app.open_service(CATALOG, SYSTEM, settings)


def create() -> FastAPI:
    settings = Settings.read()
    document = settings.data_folder / "openapi.json"
    document.write_text("{}")
    return app.create_app(CATALOG, SYSTEM, [router], document=document, settings=settings)
