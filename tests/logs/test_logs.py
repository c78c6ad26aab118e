"""runtime.logs: one JSON object a line, nothing secret in it, whatever wrote it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, cast

import pytest

from runtime import logs
from runtime.logs import log
from runtime.settings import Settings

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"
SCOPE = {"method": "GET", "path": "/logistics/airports/list", "client": ("10.0.0.9", 4711)}


@pytest.fixture(autouse=True)
def _usual_settings() -> Iterator[None]:
    logs.configure(Settings())
    yield
    logs.configure(Settings())


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return [json.loads(line) for line in captured.err.splitlines()]


async def _request(status: int = 200, **scope: Any) -> None:
    logs.access(SCOPE | scope, status, 0.01234, "req-1")


def test_event_is_one_json_object_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    log.info("users.created", user_id="ann\n", count=2)
    (line,) = written(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"level": "info", "event": "users.created", "user_id": "ann\n", "count": 2}


@pytest.mark.parametrize(
    ("member", "shown"),
    [
        pytest.param({"password": "hunter2"}, {"password": "***"}, id="password"),
        pytest.param({"refreshToken": "abc"}, {"refreshToken": "***"}, id="token, camel case"),
        pytest.param({"jwt_secret": "abc"}, {"jwt_secret": "***"}, id="secret"),
        pytest.param({"headers": {"Authorization": "x"}}, {"headers": {"Authorization": "***"}}, id="nested"),
        pytest.param({"note": f"got {JWT}!"}, {"note": "got ***!"}, id="web token in a text"),
        pytest.param({"note": f"eyJ_{JWT}"}, {"note": "eyJ_***"}, id="web token behind its own beginning"),
        pytest.param({"list": [JWT, 1]}, {"list": ["***", 1]}, id="web token in a list"),
        pytest.param({"note": "Bearer abcdefgh12"}, {"note": "Bearer ***"}, id="bearer"),
        pytest.param(
            {"uri": "mongodb://ann:pw@db/?replicaSet=rs0"},
            {"uri": "mongodb://***@db/?replicaSet=rs0"},
            id="user information of an address",
        ),
        pytest.param(
            {"cause": 'not authorized on a to execute command { find: "b", filter: { name: "Ann" } }'},
            {"cause": 'not authorized on a to execute command { find: "b" … }'},
            id="a command that the store refuses",
        ),
        pytest.param(
            {"cause": "no (42), full error: {'ok': 0.0, 'errmsg': 'x'}\nnext, full error: {}\nlast"},
            {"cause": "no (42)\nnext\nlast"},
            id="the answers of the store in a traceback",
        ),
        pytest.param({"status": 200, "path": "/a/b"}, {"status": 200, "path": "/a/b"}, id="nothing secret"),
    ],
)
def test_secrets_are_masked(
    capsys: pytest.CaptureFixture[str], member: dict[str, Any], shown: dict[str, Any]
) -> None:
    log.warning("event", **member)
    # The driver of another test of this process may say something at the same moment.
    (line,) = [one for one in written(capsys) if one["event"] == "event"]
    assert {key: line[key] for key in shown} == shown


def test_secret_in_a_traceback_is_masked(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError(f"cannot use {JWT}")
    except ValueError as error:
        log.error("fault", exc_info=error)
    (line,) = written(capsys)
    assert "ValueError: cannot use ***" in line["exception"]
    assert JWT not in json.dumps(line)


@pytest.mark.parametrize(
    ("level", "events"),
    [
        ("DEBUG", ["debug", "info", "request", "warning", "error"]),
        ("INFO", ["info", "request", "warning", "error"]),
        ("WARNING", ["warning", "error"]),
        ("ERROR", ["error"]),
    ],
)
def test_level(capsys: pytest.CaptureFixture[str], level: str, events: list[str]) -> None:
    logs.configure(Settings.read({"LOG_LEVEL": level}))
    log.debug("debug")
    log.info("info")
    asyncio.run(_request())
    log.warning("warning")
    log.error("error")
    assert [line["event"] for line in written(capsys)] == events


def test_request_line_says_what_was_asked_without_its_query(capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(_request(query_string=b"filter=name:Ann"))
    log.info("next")
    line, after = written(capsys)
    assert line.pop("timestamp") <= after["timestamp"]
    assert line == {
        "level": "info",
        "event": "request",
        "request_id": "req-1",
        "method": "GET",
        "path": "/logistics/airports/list",
        "status": 200,
        "milliseconds": 12.34,
        "address": "10.0.0.9",
    }


def test_failed_request_is_an_error_and_passes_every_level(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings.read({"LOG_LEVEL": "ERROR"}))

    async def two() -> None:
        await _request(404)
        await _request(503)
        await asyncio.sleep(0.15)

    asyncio.run(two())
    (line,) = written(capsys)
    assert (line["level"], line["status"]) == ("error", 503)


def test_a_place_that_takes_no_lines_is_no_end_of_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, text: str) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    log.info("lost")
    asyncio.run(_request())
    logs._lines.flush()


def test_every_octet_is_written_in_utf_8_where_some_are_taken_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = bytearray()

    class Unbuffered(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, octets: Any) -> int:
            taken.extend(octets[:7])
            return min(len(octets), 7)

    stream = io.TextIOWrapper(cast(Any, Unbuffered()), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stderr", stream)
    log.info("users.created", name="Łukasz")
    assert json.loads(taken)["name"] == "Łukasz"
    assert "Łukasz".encode() in taken


def test_a_line_of_a_library_that_does_not_fit_its_arguments_ends_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logging.getLogger("asyncio").warning("%d days", "no")
    logging.getLogger("asyncio").warning("%s", "next")
    assert [line["event"] for line in written(capsys)] == ["next"]


def test_request_lines_are_written_together_soon(capsys: pytest.CaptureFixture[str]) -> None:
    async def burst() -> None:
        for _ in range(3):
            await _request()
        assert capsys.readouterr().err == ""
        for _ in range(100):
            await asyncio.sleep(0.02)
            if err := capsys.readouterr().err:
                assert err.count("\n") == 3
                return
        pytest.fail("the lines never came")

    asyncio.run(burst())


def test_many_request_lines_do_not_wait(capsys: pytest.CaptureFixture[str]) -> None:
    async def burst() -> None:
        for _ in range(100):
            await _request()

    asyncio.run(burst())
    log.info("last")
    assert [line["event"] for line in written(capsys)] == ["request"] * 100 + ["last"]


@pytest.mark.parametrize("name", ["uvicorn.error", "pymongo.connection", "asyncio"])
def test_standard_logging_takes_the_same_way(capsys: pytest.CaptureFixture[str], name: str) -> None:
    logging.getLogger(name).warning("%s is gone, mongodb://ann:pw@db", "it")
    (line,) = written(capsys)
    assert (line["event"], line["logger"], line["level"]) == (
        "it is gone, mongodb://***@db",
        name,
        "warning",
    )


def test_a_warning_of_a_library_is_a_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)  # which the filter of an earlier test has put aside
        logs.configure(Settings())
        warnings.warn("Unknown option: retrywrite", UserWarning, stacklevel=1)
    (line,) = written(capsys)
    assert "UserWarning: Unknown option: retrywrite" in line["event"]
    assert (line["level"], line["logger"]) == ("warning", "py.warnings")


def test_console_format_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings.read({"LOG_FORMAT": "console"}))
    log.info("users.created", password="hunter2")
    asyncio.run(_request())
    first, second = capsys.readouterr().err.splitlines()
    assert "users.created" in first
    assert "hunter2" not in first
    assert "request" in second
    assert "status=200" in second


def test_configuring_again_writes_what_waits_first(capsys: pytest.CaptureFixture[str]) -> None:
    """A loop that ends within a tenth of a second leaves its lines; they must not come with the next."""
    asyncio.run(_request())
    assert written(capsys) == []
    logs.configure(Settings())
    (line,) = written(capsys)
    assert line["event"] == "request"


def test_configuring_again_does_not_double_lines(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings())
    logs.configure(Settings())
    logging.getLogger("uvicorn.error").info("once")
    assert len(written(capsys)) == 1


def test_no_reader_sees_two_lines_in_one_and_no_terminal_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "/\n\r\x1b[2J\x85\x9b2J\u2028\u2029\u202egnp.exe\u2066ü"
    asyncio.run(_request(path=text))
    log.info("login", realm=text)
    said = capsys.readouterr().err
    request, login = map(json.loads, said.splitlines())
    assert (request["path"], login["realm"]) == (text, text)
    assert not set("\x9b\u202e\u2066") & set(said)


def test_no_line_for_people_steers_their_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings.read({"LOG_FORMAT": "console"}))
    asyncio.run(_request(path="/\x1b[2J\x9b2J\u202eü"))
    log.info("\x1b[2J")
    try:
        raise ValueError(f"\x1b[2J {JWT}")
    except ValueError as error:
        log.error("fault", exc_info=error)
    said = capsys.readouterr().err
    assert r"path=/\x1b[2J\x9b2J\u202eü" in said
    assert r"ValueError: \x1b[2J ***" in said
    assert not set("\x1b\x9b\u202e") & set(said)


def test_a_line_with_half_a_surrogate_pair_is_written() -> None:
    line = logs._json(None, "info", {"timestamp": "t", "level": "info", "event": "login", "realm": "\ud800"})
    assert line.startswith('{"timestamp": "t", "level": "info", "event": "login"')
    assert json.loads(line)["realm"] == "\ud800"


@pytest.mark.parametrize(
    ("chosen", "is_terminal", "is_json"),
    [("auto", True, False), ("auto", False, True), ("json", True, True), ("console", False, False)],
)
def test_lines_are_for_people_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    chosen: Any,
    is_terminal: bool,
    is_json: bool,
) -> None:
    """Else the banner of ``serve`` stands between lines of JSON."""
    monkeypatch.setattr(logs.sys.stderr, "isatty", lambda: is_terminal)
    logs.configure(Settings.read({}, log_format=chosen))
    log.info("users.created")
    assert capsys.readouterr().err.startswith("{") is is_json


def test_a_loop_that_ends_before_its_lines_are_written_does_not_hold_up_those_of_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def ask_and_wait() -> list[str]:
        await _request(path="/second")
        await asyncio.sleep(0.3)
        return [line["path"] for line in written(capsys)]

    asyncio.run(_request(path="/first"))
    assert asyncio.run(ask_and_wait()) == ["/first", "/second"]


def test_what_waits_is_written_when_the_block_ends(capsys: pytest.CaptureFixture[str]) -> None:
    async def ask() -> None:
        async with logs.write_at_end():
            await _request(path="/last")

    asyncio.run(ask())
    assert [line["path"] for line in written(capsys)] == ["/last"]


def test_lines_of_several_threads_are_written_once_each(
    capsys: pytest.CaptureFixture[str], switching_often: None
) -> None:
    asked, ended, noted = 5000, threading.Event(), list[int]()

    def note() -> None:
        while not ended.is_set():
            log.warning("noted", number=len(noted))
            noted.append(len(noted))

    async def ask() -> None:
        for number in range(asked):
            await _request(path=f"/{number}")
            await asyncio.sleep(0)

    thread = threading.Thread(target=note)
    thread.start()
    try:
        asyncio.run(ask())
    finally:
        ended.set()
        thread.join()
    logs.configure(Settings())
    lines = written(capsys)
    assert [line["path"] for line in lines if line["event"] == "request"] == [f"/{n}" for n in range(asked)]
    assert [line["number"] for line in lines if line["event"] == "noted"] == noted


@pytest.fixture
def switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
