"""Who may do what to whom: every operation, by every role, on targets near and far. One row an operation.

Each role asks for the same record or user in six places (``scene.TARGETS``):

    w  own             its own: same tenant, organisation and owner
    o  other owner     of another owner in its organisation
    g  other org       of another organisation of its tenant; auditor, user and admin are bound to theirs
    t  other tenant
    r  other realm     its own in another realm, asked for there: X-Realm names a realm not open to it
    a  away            the same, asked for at home, where its id means nothing

and gets ``+`` (done, or shown), ``-`` (done, but neither shown nor touched: an empty list, a new record under
another id) or the refusal: ``1`` 401, ``2`` 422, ``3`` 403, ``4`` 404, ``9`` 409. Whatever is no ``+`` leaves the
target as it was. ``auditor`` is a role that no record type names and no rule speaks of. ``reader`` and ``writer``
are administrators whose tokens have the scopes for reading or for writing alone.

A door is another way to the same operations: what is refused at one is refused at all. One that this table
does not know, or that is gone, fails it. Record types that a service adds have the rows of ``record``, and those of
``rule`` where users have none of their roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import pytest
from pymongo import MongoClient

from tests.http.agent_door import Agents
from tests.http.documented import Operation
from tests.http.mcp_door import Mcp
from tests.http.rest_door import Rest
from tests.http.scene import Scene, open_scene
from tests.http.world import CALLERS, World

GRID = """
                           none   auditor user   admin  system reader writer
                           wogtra wogtra wogtra wogtra wogtra wogtra wogtra
record.listRecords         111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
record.find                111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
record.listReferences      111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
record.count               111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
record.followChanges       111111 333333 ++++3+ ++++3+ ++++3+ ++++3+ 333333
record.exportCsv           111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
record.schema              111111 333333 ++++3+ ++++3+ ++++3+ ++++3+ 333333
record.states              111111 333333 ++++3+ ++++3+ ++++3+ ++++3+ 333333
record.getById             111111 333333 ++4434 ++4434 ++++34 ++4434 333333
record.getByRefName        111111 333333 ++4434 ++4434 ++++34 ++4434 333333
record.getHistory          111111 333333 ++4434 ++4434 ++++34 ++4434 333333
record.listConnected       111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
record.listEdges           111111 333333 ++4434 ++4434 ++++34 ++4434 333333
record.transitions         111111 333333 ++4434 ++4434 ++++34 ++4434 333333
record.save                111111 333333 ++--3- ++--3- ++++3- 333333 ++--3-
record.bulk                111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.setFields           111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.patch               111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.bulkSet             111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.importCsv           111111 333333 ++--3- ++--3- +---3- 333333 333333
record.openImportSession   111111 333333 ++--3- ++--3- +---3- 333333 333333
record.openProfileSession  111111 333333 ++--3- ++--3- +---3- 333333 333333
record.listImportRows      111111 333333 444434 444434 444434 333333 333333
record.followImport        111111 333333 444434 444434 444434 333333 333333
record.exportImportErrors  111111 333333 444434 444434 444434 333333 333333
record.commitImportSession 111111 333333 444434 444434 444434 333333 333333
record.discardImportSession 111111 333333 ++++3+ ++++3+ ++++3+ 333333 333333
record.deleteById          111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.restore             111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.create              111111 333333 ----3- ----3- ----3- 333333 ----3-
record.complete            111111 333333 ++4434 ++4434 ++++34 333333 ++4434
record.progress            111111 333333 ++4434 ++4434 ++++34 ++4434 333333
record.subscribe           111111 333333 ++4434 ++4434 ++++34 ++4434 333333

rule.listRecords           111111 333333 333333 ++--3- ++++3- ++--3- 333333
rule.find                  111111 333333 333333 ++--3- ++++3- ++--3- 333333
rule.listReferences        111111 333333 333333 ++--3- ++++3- ++--3- 333333
rule.count                 111111 333333 333333 ++--3- ++++3- ++--3- 333333
rule.exportCsv             111111 333333 333333 ++--3- ++++3- ++--3- 333333
rule.schema                111111 333333 333333 ++++3+ ++++3+ ++++3+ 333333
rule.getById               111111 333333 333333 ++4434 ++++34 ++4434 333333
rule.getByRefName          111111 333333 333333 ++4434 ++++34 ++4434 333333
rule.save                  111111 333333 333333 ++--3- ++++3- 333333 ++--3-
rule.bulk                  111111 333333 333333 ++4434 ++++34 333333 ++4434
rule.setFields             111111 333333 333333 ++4434 ++++34 333333 ++4434
rule.patch                 111111 333333 333333 ++4434 ++++34 333333 ++4434
rule.bulkSet               111111 333333 333333 ++4434 ++++34 333333 ++4434
rule.importCsv             111111 333333 333333 ++--3- +---3- 333333 333333
rule.openImportSession     111111 333333 333333 ++--3- +---3- 333333 333333
rule.openProfileSession    111111 333333 333333 ++--3- +---3- 333333 333333
rule.listImportRows        111111 333333 333333 444434 444434 333333 333333
rule.followImport          111111 333333 333333 444434 444434 333333 333333
rule.exportImportErrors    111111 333333 333333 444434 444434 333333 333333
rule.commitImportSession   111111 333333 333333 444434 444434 333333 333333
rule.discardImportSession  111111 333333 333333 ++++3+ ++++3+ 333333 333333
rule.deleteById            111111 333333 333333 ++4434 ++++34 333333 ++4434
client.save                111111 333333 333333 ++993- ++++3- 333333 ++993-
client.rotateSecret        111111 333333 333333 ++4434 ++++34 333333 ++4434
client.createCredential    111111 333333 333333 ++4434 ++++34 333333 ++4434

webhook.create             111111 333333 ----3- ----3- ----3- 333333 333333
webhook.patch              111111 333333 ++4434 ++4434 ++++34 333333 334434
webhook.rotateSecret       111111 333333 ++4434 ++4434 ++++34 333333 333333
webhook.resume             111111 333333 ++4434 ++4434 ++++34 333333 333333
webhook.test               111111 333333 ++4434 ++4434 ++++34 333333 333333
webhook.deliveries         111111 333333 ++4434 ++4434 ++++34 ++4434 333333
webhook.resend             111111 333333 444434 444434 444434 333333 333333

query.rootTypes            111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ ++++3+
query.plan                 111111 333333 ++++3+ ++++3+ ++++3+ ++++3+ 333333
query.find                 111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
query.count                111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
query.relationships        111111 333333 ++4434 ++4434 ++++34 ++4434 333333
query.predicates           111111 333333 ++++3+ ++++3+ ++++3+ ++++3+ 333333
query.aggregate            111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
query.export               111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
query.save                 111111 333333 ++--3- ++--3- ++++3- 333333 ++--3-
query.delete               111111 333333 ++4434 ++4434 ++++34 333333 ++4434
query.deleteMany           111111 333333 ++--3- ++--3- ++++3- 333333 333333
query.importAnalyze        111111 333333 ++--3- ++--3- +---3- 333333 333333
query.importRows           111111 333333 444434 444434 444434 333333 333333
query.importCommit         111111 333333 444434 444434 444434 333333 333333
query.importCancel         111111 333333 ++++3+ ++++3+ ++++3+ 333333 333333

agent.tools                111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ ++++3+
agent.schema               111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ ++++3+
agent.schemaOf             111111 333333 ++++3+ ++++3+ ++++3+ ++++3+ 333333
agent.queryHints           111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ ++++3+
agent.permissionHints      111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ ++++3+
agent.execute              111111 333333 ++--3- ++--3- ++++3- ++--3- 333333
agentConfig.list           111111 333333 333333 ++--3- ++++3- ++--3- 333333
agentConfig.getByRefName   111111 333333 333333 ++4434 +44434 ++4434 333333
agentConfig.getById        111111 333333 333333 ++4434 ++++34 ++4434 333333
agentConfig.save           111111 333333 333333 ++9-3- +---3- 333333 333333
agentConfig.deleteByRefName 111111 333333 333333 ++4434 +44434 333333 333333
agentConfig.deleteById     111111 333333 333333 ++4434 ++++34 333333 333333

users.list                 111111 333333 333333 ++--3- ++++3- ++--3- 333333
users.create               111111 333333 333333 ++333+ ++++3+ 333333 ++333+
users.exists               111111 333333 333333 ++--3- ++++3- ++--3- 333333
users.get                  111111 333333 333333 ++4434 ++++34 ++4434 333333
users.getSubject           111111 333333 333333 ++4434 ++++34 ++4434 333333
users.getUserId            111111 333333 333333 ++4434 ++++34 ++4434 333333
users.getRoles             111111 333333 333333 ++4434 ++++34 ++4434 333333
users.assignRoles          111111 333333 333333 9+4434 9+++34 333333 9+4434
users.removeRoles          111111 333333 333333 9+4434 9+++34 333333 9+4434
users.setDisabled          111111 333333 333333 9+4434 9+++34 333333 9+4434
users.resetPassword        111111 333333 333333 9+4434 9+++34 333333 9+4434
users.remove               111111 333333 333333 9+4434 9+++34 333333 9+4434
users.enableImpersonation  111111 333333 333333 9+4434 9+++34 333333 9+4434
users.disableImpersonation 111111 333333 333333 9+4434 9+++34 333333 9+4434
users.enableRealmOverride  111111 333333 333333 333333 9+++34 333333 333333
users.disableRealmOverride 111111 333333 333333 333333 9+++34 333333 333333

permission.check           111111 444434 ++4434 ++4434 ++++34 ++4434 333333
permission.decision        111111 333333 333333 ++4434 ++++34 ++4434 333333
permission.effectiveRules  111111 333333 333333 ++++3+ ++++3+ ++++3+ 333333

security.me                111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ 333333
security.logout            111111 ++++3+ ++++3+ ++++3+ ++++3+ 333333 ++++3+
security.sessions          111111 ++++3+ ++++3+ ++++3+ ++++3+ ++++3+ 333333
security.endSession        111111 444434 444434 444434 444434 333333 444434
security.endSessions       111111 ++++3+ ++++3+ ++++3+ ++++3+ 333333 ++++3+
security.password          111111 222222 222222 222222 222222 333333 222222
security.login             ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
security.refresh           ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.answer               000000 000000 000000 000000 000000 000000 000000
oauth.authorize            000000 000000 000000 000000 000000 000000 000000
oauth.jwks                 ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.metadata             ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.logout               ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.logoutForm           ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.push                 111111 111111 111111 111111 111111 111111 111111
oauth.metadataOfIssuer     444444 444444 444444 444444 444444 444444 444444
oauth.metadataOpenId       ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.metadataOpenIdOfIssuer 444444 444444 444444 444444 444444 444444 444444
oauth.resource             ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.resourceAtPath       ++++++ ++++++ ++++++ ++++++ ++++++ ++++++ ++++++
oauth.register             444444 444444 444444 444444 444444 444444 444444
oauth.userinfo             111111 ++++++ ++++++ ++++++ ++++++ 333333 333333
oauth.userinfoOfForm       111111 ++++++ ++++++ ++++++ ++++++ 333333 333333

oauth.token                111111 111111 111111 111111 111111 111111 111111
oauth.revoke               111111 111111 111111 111111 111111 111111 111111
oauth.introspect           111111 111111 111111 111111 111111 111111 111111
"""
"""What is about the caller alone (``security.*``) has no target: its realm alone may be another. The password
is asked to stay as it is, which is refused only once the caller is known. Nobody gets, ends or describes a token
of OAuth with an access token, or with the password of a user in place of a client's secret; pages ignore access
tokens, and show that there is no such client."""


HOW_TO_ADD = (
    "Check who may do what by the letters below, which the docstring of tests/http/test_authorization_matrix.py"
    " explains, and add the line to GRID there. What is sent with the request is in OPTIONS and _named of"
    " tests/http/rest_door.py, whether an answer shows the target in SHOWS and SUCCEEDS."
)


class Door(Protocol):
    """A way to operations; fills the row of each."""

    @property
    def operations(self) -> Sequence[Operation]: ...
    def row(self, scene: Scene, operation: Operation, /) -> str: ...


DOORS: dict[str, Door] = {"rest": Rest(), "agents": Agents(), "mcp": Mcp()}


def rows() -> dict[str, str]:
    """Row name → a group of six letters for each role."""
    lines = [line.split(maxsplit=1) for line in GRID.strip().splitlines()[2:] if line.strip()]
    return {name: cells.strip() for name, cells in lines}


ROWS = rows()
CASES = [
    pytest.param(door, operation, id=f"{name} {operation}")
    for name, door in DOORS.items()
    for operation in door.operations
]


def row_of(operation: Operation) -> str:
    """Record types of one area are alike; rules are records for administrators alone.

    Clients are saved under their own client id, which cannot change and is unique in the realm: so saving one
    that is out of reach is a duplicate. The reference name of an agent is that of one's own tenant.
    A webhook outlasts its token, so one that is narrowed neither creates nor changes any.
    """
    if operation.name.startswith("agentConfig_"):
        return operation.name.replace("_", ".")
    if operation.name == "oauthClient_save" or operation.name.startswith("oauthClients_"):
        return f"client.{operation.word}"
    if operation.name.startswith("webhook_") and f"webhook.{operation.word}" in ROWS:
        return f"webhook.{operation.word}"
    if operation.kind is not None:
        is_for_users = operation.kind.roles & CALLERS["acme-user"].roles
        return f"{'record' if is_for_users else 'rule'}.{operation.word}"
    return f"{operation.name.partition('_')[0]}.{operation.word}"


@pytest.fixture(scope="module")
def scene(world: World, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Scene]:
    with open_scene(world, mongo_client) as opened:
        yield opened


@pytest.mark.parametrize(("door", "operation"), CASES)
def test_who_may_do_what_to_whom(scene: Scene, door: Door, operation: Operation) -> None:
    found, row = door.row(scene, operation), row_of(operation)
    assert row in ROWS, f"{operation} has no row. {HOW_TO_ADD}\n{row:<26} {found}"
    assert f"{row} {found}" == f"{row} {ROWS[row]}"


def test_each_row_has_an_operation() -> None:
    """The other way around, ``test_who_may_do_what_to_whom`` shows the row to add."""
    assert ROWS.keys() <= {row_of(operation) for door in DOORS.values() for operation in door.operations}
