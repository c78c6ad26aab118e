"""What every test may ask for: one MongoDB for the whole run, and a database of its own in it.

All workers of pytest-xdist use the same mongod: they share a folder, the first to ask starts it, the
last to leave stops it (``runtime.storage.embedded``). The folder goes when the run is over (``tests.run_folder``).
"""

from __future__ import annotations

import gc
import linecache
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from uuid import uuid4

import httpcore2
import pytest
from pymongo import MongoClient
from xdist.remote import Producer
from xdist.workermanage import WorkerController

from runtime import logs
from runtime.identity.credentials import passwords
from runtime.settings import Settings
from runtime.storage.embedded import mongod, run_embedded
from runtime.tokens import key_files
from tests import example_service, properties, run_folder
from tests.bundles import bundle_events, unbundle_events
from tests.leaks import Surroundings
from tests.rewriting import rewrite_share
from tests.scheduling import FileScheduling

_FOLDER = "RECORDSMITH_TEST_DATA"

_LONG = frozenset(
    Path(__file__).parent / name
    for name in ("contract/test_schemathesis.py", "project/test_project.py", "transfer/test_round_trip.py")
)
"""Files that take a worker more than 15 seconds, and minutes or a place late in the alphabet."""

_WAITING = frozenset(["cli", "embedded", "faults", "lane", "life", "mcp_client", "migrations", "outbox"])
"""Folders of tests that wait more than they compute, for programs, leases and timeouts."""

_UNJOURNALED = {"writeConcernMajorityJournalDefault": False}
"""The MongoDB of the run acknowledges writes before they are in its journal: nobody kills it. A flush for each
takes it as long as the write."""

_HISTORY_SECONDS = 5
"""How long MongoDB keeps what was removed; 300 unless set. All of it is in the way of those who read."""

_CACHE = (
    "cache_size=1GB,"
    "eviction_dirty_target=60,eviction_dirty_trigger=80,eviction_updates_target=40,eviction_updates_trigger=60"
)
"""MongoDB has room for what the tests write, and does not begin to write it to its files once it is 25 MB."""

_GARBAGE = 10_000, 10, 10
"""How many objects more until Python looks for garbage; 700 at first, with which it is a tenth of the tests' time."""

# Nothing that is imported and collected is garbage; looking for some is a third of the time that both take.
gc.disable()

# Importing jsonschema builds 38 grammars for the format "iri", where this package is installed: two seconds
# a worker, for a format that no schema here names.
sys.modules["rfc3987_syntax"] = None

# Every process would compile all modules again, and rewrite the assertions of all tests.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A run that a script starts in the background inherits that Ctrl-C is ignored, and tests that interrupt a command
# would wait until their timeout.
signal.signal(signal.SIGINT, signal.default_int_handler)

properties.load_profile()
example_service.provide()


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):  # workers inherit the environment of the process that started them
        folder, lock = run_folder.create()
        os.environ[_FOLDER] = str(folder)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder.parent))  # MongoDBs of single tests, too
        config.add_cleanup(lock.release)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Bundle what this worker sends; compile its share of the test modules before any of them is collected."""
    if (worker := getattr(session.config, "workerinput", None)) is not None:
        bundle_events(session.config)
        files = [file for file in Path(__file__).parent.rglob("test_*.py") if "browser" not in file.parts]
        number = int(worker["workerid"].removeprefix("gw"))
        rewrite_share(session.config, files, number, worker["workercount"])


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker(config):
        run_folder.remove(Path(os.environ.pop(_FOLDER)))
    gc.freeze()  # pytest looks for garbage twice at its end, among the reports of all tests


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    unbundle_events(node)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long: begun at the end, one keeps a single worker busy.

    Those that wait are spread among the others, so that some worker always has something to compute.
    """
    waiting, others = dict[Path, float](), dict[Path, float]()
    for item in items:
        group = waiting if item.path.relative_to(Path(__file__).parent).parts[0] in _WAITING else others
        group.setdefault(item.path, len(group))
    places = {path: place / len(group) for group in (waiting, others) for path, place in group.items()}
    items.sort(key=lambda item: (item.path not in _LONG, places[item.path]))


def pytest_collection_finish() -> None:
    """Spare the collector what stays until the end: thousands of tests, which it would look at each time.

    It does not look for garbage first, which takes a second, and memory of which nothing comes back.
    """
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Remember how the process is before the first test of a module."""
    if item.path != item.config.stash.get(_MODULE, None):
        item.config.stash[_MODULE] = item.path
        item.config.stash[_BEFORE] = Surroundings.read()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Fail the last test of a module that leaves something behind in its process."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        changes = item.config.stash[_BEFORE].list_changes(Surroundings.read())
        assert changes == [], f"{item.path.name} leaves behind: {', '.join(changes)}"
    return result


_MODULE = pytest.StashKey[Path]()
_BEFORE = pytest.StashKey[Surroundings]()


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Collect the garbage of each module in its last test, which fails if a resource of it was left open.

    Each further collection spares the rest.
    """
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def uncollected(collected: None) -> Iterator[None]:
    """Leave the garbage of a module until its end, where each test creates a million objects and few cycles."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def patient_hashing() -> None:
    """On a busy machine tests wait for their password hashes."""
    passwords._gate._longest = 60.0


@pytest.fixture(scope="session", autouse=True)
def quick_keys() -> Iterator[None]:
    """Keys of this process are shorter than usual, and each is read once.

    One of 3072 bits takes half a second to generate; the proof that a key is sound takes a twelfth of one.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_files, "NEW_RSA_BITS", key_files.LEAST_RSA_BITS)
        pems = key_files.serialization
        patch.setattr(pems, "load_pem_private_key", cache(pems.load_pem_private_key))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_trust_store() -> Iterator[None]:
    """Clients of this process share what they trust, which each would read for 25 ms, even to ask over HTTP."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def source_read_once() -> Iterator[None]:
    """Keep the source text of the tests, which the driver reads each time that a client is opened."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linecache, "clearcache", lambda: None)
        yield


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop that coroutines among the tests run on."""
    return "asyncio"


@pytest.fixture(scope="session")
def mongo_uri() -> Iterator[str]:
    """The address of the replica set of this run."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(mongod, "REPLICA_SET", mongod.REPLICA_SET | _UNJOURNALED)
        uri = stack.enter_context(run_embedded(Path(os.environ[_FOLDER])))
        patch.undo()
        with MongoClient[dict[str, object]](uri) as client:
            client.admin.command("setParameter", 1, minSnapshotHistoryWindowInSeconds=_HISTORY_SECONDS)
            client.admin.command("setParameter", 1, wiredTigerEngineRuntimeConfig=_CACHE)
        yield uri


@pytest.fixture(scope="session")
def mongo_client(mongo_uri: str) -> Iterator[MongoClient[dict[str, object]]]:
    """A plain client, to look at what is stored behind the service's back."""
    with MongoClient[dict[str, object]](mongo_uri) as client:
        yield client


@pytest.fixture
def realm(mongo_client: MongoClient[dict[str, object]]) -> Iterator[str]:
    """The name of a fresh database, dropped after the test."""
    name = f"test-{uuid4().hex[:12]}"
    yield name
    mongo_client.drop_database(name)


@pytest.fixture
def usual_logs() -> None:
    """The log level of a start, for tests that listen: others before may have silenced it."""
    logs.configure(Settings())
