"""An import that is committed while the service and MongoDB's primary are killed: every row once, and all that
tells of it agrees.

The file has orders, which keep a history: new ones, some that change one that is there, some that are there as
they are, and some that cannot be stored. Two clients ask for the commit, again and again until it is answered.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx2
import pymongo
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError

from tests.faults.inspection import findings
from tests.faults.ledger import Kept, Ledger
from tests.faults.replica_set import ReplicaSet, replica_set, waited_for
from tests.faults.service import REALM, ServiceProcess, served

ORDERS = "/logistics/orders/csv"
COLUMNS = "refName,displayName,customer.entityRefName,items[0].product.entityRefName,items[0].quantity,items[0].price"
CLIENTS = 2
_PATIENCE_SECONDS = 300.0
_PAUSE_SECONDS = 0.1
_LONGEST_DELAY_SECONDS = 0.3

Document = dict[str, Any]
Kill = Literal["service", "primary"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the file. ``intent``: what comes of it."""

    number: int

    @property
    def name(self) -> str:
        return f"I-{self.number:06}"

    @property
    def intent(self) -> Literal["insert", "update", "skip", "fail"]:
        if self.number % 100 == 0:
            return "fail"
        return "update" if self.number % 50 == 1 else "skip" if self.number % 25 == 2 else "insert"

    def line(self, quantity: int = 2) -> str:
        """As it stands in the file; one that fails asks for nothing."""
        customer = ("casa-das-flores", "heath-and-sons")[self.number % 2]
        number = 0 if self.intent == "fail" else quantity
        return f"{self.name},{self.name},{customer},TULIP-RED-10,{number},1.50"


@dataclass(frozen=True, slots=True)
class Strike:
    """One kill: how far the commit was; seconds until a new one was there, and until the commit went on."""

    kill: Kill
    position: int
    back: float
    on: float


@dataclass
class Outcome:
    """What came of a run. ``answers``: what the clients were told, and how often."""

    findings: list[str]
    strikes: list[Strike]
    answers: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    log: str = ""


def play(
    rows: int, kills: list[Kill], seed: int, workers: int, folder: Path,
    tell: Callable[[str], None] = lambda _line: None,
) -> Outcome:  # fmt: skip
    """Import so many rows, and kill at random moments of the commit."""
    choose, file = random.Random(seed), [Row(number) for number in range(1, rows + 1)]
    moments = sorted(choose.randrange(rows) for _kill in kills)
    with (
        replica_set(folder) as members,
        served(members.uri, folder / "service", workers) as service,
        MongoClient[Document](members.uri, serverSelectionTimeoutMS=1000, timeoutMS=2000) as client,
    ):
        tell("three mongods and the service run")
        _send(
            service, ORDERS, [row.line(1 if row.intent == "update" else 2) for row in file if _is_there(row)]
        )
        session_id = str(_send(service, f"{ORDERS}/session", [row.line() for row in file])["sessionId"])
        tell(f"{rows} rows are analysed")
        began, answers = time.monotonic(), Counter[str]()
        with ThreadPoolExecutor(CLIENTS) as pool:
            asking = [pool.submit(_committed, service, session_id, answers) for _client in range(CLIENTS)]
            run = _Run(members, service, Position(client[REALM], session_id), asking, choose)
            strikes = [run.strike(*one) for one in zip(kills, moments, strict=True) if run.is_on]
            bodies = [one.result(_PATIENCE_SECONDS) for one in asking]
        seconds = time.monotonic() - began
        members.whole()
        with pymongo.timeout(_PATIENCE_SECONDS):  # all revisions take more than the two seconds of a position
            wrong = inspected(client[REALM], file, bodies, session_id, service.user)
        return Outcome(wrong, strikes, answers, seconds, service.log)


def inspected(
    database: Database[Document], file: list[Row], bodies: list[Document], session_id: str, user: str
) -> list[str]:
    """All that is not as it must be, in words."""
    names = {
        row["refName"]: str(row["_id"]) for row in database["orders"].find({"refName": {"$regex": "^I-"}})
    }
    wanted = {row.name: row for row in file if row.intent != "fail"}
    wrong = [f"order {name} is lost" for name in wanted.keys() - names.keys()]
    ledger = Ledger(
        orders={
            names[name]: Kept(name, "", [2], version=2 if row.intent == "update" else 1)
            for name, row in wanted.items()
            if name in names
        }
    )
    counts = Counter(row.intent for row in file)
    told = {
        "sessionId": session_id, "inserted": counts["insert"], "updated": counts["update"],
        "skipped": counts["skip"], "failed": counts["fail"],
    }  # fmt: skip
    wrong += [f"the commit told {body}, not {told}" for body in bodies if body != told]
    kept = database["importSessions"].find_one({"refName": session_id}) or {}
    if kept.get("state") != "COMMITTED":
        wrong.append(f"the session is {kept.get('state')}")
    return wrong + findings(database, ledger, [], user)


class Position:
    """How far a commit is: the number of the last row that is stored."""

    def __init__(self, database: Database[Document], session_id: str) -> None:
        self._sessions = database["importSessions"]
        self._session_id = session_id
        self.last = 0

    def now(self) -> int:
        """As far as the store answers."""
        try:
            found = self._sessions.find_one({"refName": self._session_id}, {"position": 1})
        except PyMongoError:
            return self.last
        self.last = found["position"] if found else self.last
        return self.last


@dataclass
class _Run:
    members: ReplicaSet
    service: ServiceProcess
    position: Position
    asking: list[Future[Document]]
    choose: random.Random

    @property
    def is_on(self) -> bool:
        return not all(one.done() for one in self.asking)

    def strike(self, kill: Kill, moment: int) -> Strike:
        """Once the commit has come so far, or to its end. Returns when it goes on."""
        if kill == "primary":
            self.members.whole()
        self._wait(lambda: self.position.now() >= moment)
        time.sleep(self.choose.uniform(0, _LONGEST_DELAY_SECONDS))
        at, began = self.position.now(), time.monotonic()
        back = self._service(began) if kill == "service" else self._primary(began)
        self._wait(lambda: self.position.now() > at)
        return Strike(kill, at, back, time.monotonic() - began)

    def _service(self, began: float) -> float:
        self.service.kill()
        self.service.start()
        return time.monotonic() - began

    def _primary(self, began: float) -> float:
        primary = self.members.primary()
        primary.kill()
        self.members.primary(primary)
        seconds = time.monotonic() - began
        primary.start()
        return seconds

    def _wait(self, condition: Callable[[], bool]) -> None:
        waited_for(lambda: condition() or not self.is_on, "the commit to go on", _PATIENCE_SECONDS)


def _is_there(row: Row) -> bool:
    return row.intent in ("update", "skip")


def _send(service: ServiceProcess, path: str, lines: list[str]) -> Document:
    content = "\r\n".join([COLUMNS, *lines]).encode()
    answer = httpx2.post(
        f"{service.url}{path}", params={"requestedColumns": COLUMNS}, headers=_headers(service),
        files={"file": ("orders.csv", content, "text/csv")}, timeout=600,
    )  # fmt: skip
    body: Document = answer.raise_for_status().json()
    return body


def _committed(service: ServiceProcess, session_id: str, answers: Counter[str]) -> Document:
    """The answer, however often it takes to ask: while the service is away, and when it says so."""
    while True:
        try:
            path = f"{service.url}{ORDERS}/session/{session_id}/commit"
            answer = httpx2.post(path, headers=_headers(service), timeout=_PATIENCE_SECONDS)
        except httpx2.TransportError as error:
            answers[type(error).__name__] += 1
        else:
            answers[str(answer.status_code)] += 1
            if answer.status_code != 503:
                body: Document = answer.json()
                return body
        time.sleep(_PAUSE_SECONDS)


def _headers(service: ServiceProcess) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.token}"}
