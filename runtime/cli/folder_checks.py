"""What ``doctor`` looks at on the machine: the data folder, the service that holds it, and the port."""

import os
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from runtime.cli.findings import Check, Status
from runtime.cli.lock import describe_holder, running_service
from runtime.errors import Misconfigured
from runtime.settings import Settings
from runtime.storage.embedded import FileLock


def check_data_folder(settings: Settings) -> Check:
    """Whether the data folder can be written; one that does not exist is not created."""
    folder = settings.data_folder
    try:
        if not folder.exists():
            return _check_missing_folder(folder)
        probe = folder / ".doctor"
        probe.touch()
        probe.unlink()
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}"
        return Check("data folder", Status.FAIL, message, "choose another with --data")
    if sys.platform != "win32" and folder.stat().st_mode & stat.S_IWOTH:
        message = f"{folder} is writable by everybody"
        return Check("data folder", Status.WARN, message, f"chmod 700 {folder}")
    return Check("data folder", Status.OK, f"{folder.absolute()} is writable")


def _check_missing_folder(folder: Path) -> Check:
    """Report a folder that may be a misspelt one; creating it would hide that."""
    parent = next(one for one in folder.absolute().parents if one.exists())
    if not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)):
        message = f"{folder} cannot be created: {parent} is not a folder that can be written"
        return Check("data folder", Status.FAIL, message, "choose another with --data")
    advice = "pass the data folder of a service with --data, or create one with `recordsmith serve`"
    return Check("data folder", Status.WARN, f"{folder} does not exist", advice)


def check_service(settings: Settings) -> Check:
    """Which service holds the data folder."""
    file = settings.data_folder / "service.lock"
    try:
        with FileLock(file) as lock:
            if not file.exists() or lock.acquire():
                return Check("service", Status.OK, "none is running on this data folder")
    except OSError as error:
        return Check("service", Status.FAIL, f"its lock cannot be read: {error.strerror}")
    return Check(
        "service", Status.OK, f"{describe_holder(settings.data_folder)} is running on this data folder"
    )


def check_port(settings: Settings, host: str, port: int) -> Check:
    """Whether a service could listen there."""
    running = None
    with suppress(Misconfigured):  # the check of the folder reports it
        running = running_service(settings.data_folder)
    if running is not None and urlsplit(running.url).port == port:
        return Check("port", Status.OK, f"{port} is that of the running service")
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return Check("port", Status.OK, f"{port} is free")
    except OSError as error:
        message = f"{host} port {port}: {os.strerror(error.errno or 0)}"
        return Check(
            "port", Status.WARN, message, "stop the service that uses it, or choose another with --port"
        )
