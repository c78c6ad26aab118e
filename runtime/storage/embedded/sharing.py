"""Who starts and who stops the embedded MongoDB: the first user starts it, the last one out stops it.

Users are processes: a service, and any command on the same data folder meanwhile. Each holds a shared
lock while it uses mongod; starting and stopping happen in turn, behind a second lock. The system drops
both locks of a process that dies, so a mongod whose users were all killed is found again by the next.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from runtime.errors import Misconfigured
from runtime.plain_structlog import log
from runtime.storage.embedded import mongod
from runtime.storage.embedded.folder import Address, Folder
from runtime.storage.embedded.lock import FileLock

_TURN_SECONDS = 120.0
_WATCH_SECONDS = 0.5
_RETRY_SECONDS = 1.0


@contextmanager
def run_embedded(data: Path, *, revive: bool = False) -> Iterator[str]:
    """Run a single-member replica set on the files in ``data`` for the duration of the block; yield its URI.

    ``revive`` restarts mongod at the same address if it dies in the meantime.
    Raises ``Misconfigured``: folder not writable, no mongod for this platform, mongod will not start.
    """
    folder = Folder.prepared(data)
    users = FileLock(folder.users)
    with ExitStack() as leaving:
        with _turn(folder):
            users.acquire(shared=True)
            leaving.callback(users.release)
            address = _attach_or_start(folder)
            leaving.callback(_leave, folder, users)
        if revive:
            leaving.enter_context(_revival(folder, address))
        yield address.uri


@contextmanager
def _turn(folder: Folder) -> Iterator[None]:
    with FileLock(folder.turn) as turn:
        if not turn.acquire(wait=_TURN_SECONDS):
            raise Misconfigured(f"another command has been starting or stopping {folder.data} for too long")
        yield


def _attach_or_start(folder: Folder) -> Address:
    """Attach to the mongod of this folder, or start one; call it only while holding the folder's turn."""
    if not folder.is_served():
        return mongod.start(folder)
    address = folder.address()
    if address is None:
        raise Misconfigured(
            f"a mongod already runs on {folder.data} but {folder.record.name} is gone: "
            f"stop process {(folder.data / 'mongod.lock').read_text().strip()} first"
        )
    try:
        mongod.await_primary(address, folder.is_served, folder)
    except Misconfigured:
        if folder.is_served():
            raise
        return mongod.start(folder)  # it was on its way out
    return address


def _leave(folder: Folder, users: FileLock) -> None:
    try:
        _stop_if_last(folder, users)
    except KeyboardInterrupt:  # the mongod would run on
        _stop_if_last(folder, users)
        raise


def _stop_if_last(folder: Folder, users: FileLock) -> None:
    with _turn(folder):
        users.release()
        address = folder.address()
        # Nobody can come in meanwhile: it is our turn.
        if users.acquire() and address and folder.is_served():
            mongod.stop(address, folder)


@contextmanager
def _revival(folder: Folder, address: Address) -> Iterator[None]:
    done = threading.Event()
    watch = threading.Thread(target=_watch, args=(folder, address, done), name="mongod-watch", daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


def _watch(folder: Folder, address: Address, done: threading.Event) -> None:
    """Start mongod again whenever it is gone. A failure is reported once and tried again until it is over."""
    reported: str | None = None
    while not done.wait(_WATCH_SECONDS if reported is None else _RETRY_SECONDS):
        try:
            if not folder.is_served():
                _revive(folder, address)
            reported = None
        except (Misconfigured, OSError) as error:
            reason = str(error)
            if reason != reported:
                log.error("mongodb.revive_failed", reason=reason, advice="trying again until it works")
            reported = reason


def _revive(folder: Folder, address: Address) -> None:
    with _turn(folder):
        now = _attach_or_start(folder)
    if now.port == address.port:
        log.warning("mongodb.revived", pid=now.pid, port=now.port)
    else:
        log.error("mongodb.moved", port=now.port, advice="its old port is taken: restart the service")
