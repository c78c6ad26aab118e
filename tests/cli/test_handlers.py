"""Handlers and seams that cannot be found: reported in one line before anything starts."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from runtime.errors import Misconfigured
from runtime.handler_loading import Handler, require_handlers
from runtime.seam_loading import load_seams
from tests.cli.conftest import ENDING

APPLICATION = """
from runtime.handler_loading import Handler
from stand_in import CATALOG, RULES, SEEDS, SUBJECTS
class Factory:
    def create(): ...
create = Factory.create
HANDLERS = (
    Handler("fleet_list", "fleet_parts.routes:show", "specs/fleet/routes.yaml"),
    Handler("fleet_load", "{function}", "specs/fleet/routes.yaml"),
)
"""
ROUTES = """
async def show(call): ...
async def load(call): ...
"""
PROFILED = """
from stand_in import CATALOG, RULES, SEEDS as OTHERS, SUBJECTS
from runtime.model.seed import Seed
from runtime.seams import Seams
from runtime.system.record_types import IMPORT_PROFILE
def create(): ...
async def read_yard(value, row, context): ...
COLUMNS = [
    {"sourceColumn": "Label", "targetField": "label"},
    {"sourceColumn": "Yard", "targetField": "yard", "rowValueResolverName": "readYard"},
]
SEEDS = (*OTHERS, Seed(IMPORT_PROFILE, 1, ({"refName": "old-yards", "columnMappings": COLUMNS},)))
RIGHT, WRONG = Seams(row_value_resolvers={"readYard": read_yard}), Seams(row_value_resolvers={"readYrd": read_yard})
"""
ENDPOINT = "endpoint fleet_load (specs/fleet/routes.yaml): handler"

Call = Callable[..., Result]


@pytest.fixture
def calling(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Runs a command of an application whose second endpoint has this handler."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet_parts").mkdir()
    (tmp_path / "fleet_parts" / "__init__.py").touch()
    (tmp_path / "fleet_parts" / "routes.py").write_text(ROUTES)
    (tmp_path / "fleet_parts" / "broken.py").write_text("import json\nno_such_name\n")
    (tmp_path / "fleet_parts" / "needy.py").write_text("import no_such_package\n")
    (tmp_path / "fleet_parts" / "leaving.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "fleet_parts" / "mute.py").write_text("import sys\nsys.exit()\n")
    (tmp_path / "fleet_parts" / "inner").mkdir()
    (tmp_path / "fleet_parts" / "inner" / "__init__.py").write_text("from fleet_parts import leaving\n")

    def run(function: str, *words: str, factory: str = ":create", **settings: str) -> Result:
        _forget()
        (tmp_path / "fleet_generated.py").write_text(APPLICATION.format(function=function))
        done: Result = command(*words, env={"SERVICE_APP": f"fleet_generated{factory}", **settings})
        return done

    path, signals = list(sys.path), {number: signal.getsignal(number) for number in ENDING}
    yield run
    sys.path[:] = path
    for number, handler in signals.items():
        signal.signal(number, handler)
    _forget()


def _forget() -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] in ("fleet_generated", "fleet_parts")]:
        del sys.modules[name]


MISSING = [
    ("fleet_parts.routes:laod", "fleet_parts.routes has no function laod; did you mean load?"),
    ("fleet_parts.roots:load", "the module fleet_parts.roots does not exist"),
    ("fleet_app.routes:load", "the module fleet_app does not exist"),
]


@pytest.mark.parametrize(("function", "reason"), MISSING)
def test_a_handler_that_is_missing_is_one_line(calling: Call, function: str, reason: str) -> None:
    done = calling(function, "serve", "--port", "0")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"error[service.misconfigured]: {ENDPOINT} {function}: {reason}\n"


@pytest.mark.parametrize(("function", "reason"), MISSING)
def test_other_commands_need_no_handler(calling: Call, function: str, reason: str) -> None:
    assert calling(function, "users", "list").exit_code == 0
    done = calling(function, "doctor", "--json")
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    assert (done.exit_code, checks["handlers"]["status"]) == (1, "fail")
    assert checks["handlers"]["message"] == f"{ENDPOINT} {function}: {reason}"
    assert checks["migrations"]["status"] == "ok", "what needs no handler is examined as well"


@pytest.mark.parametrize(
    ("function", "error", "place"),
    [
        ("fleet_parts.broken:load", "NameError: name 'no_such_name' is not defined", "broken.py, line 2"),
        (
            "fleet_parts.needy:load",
            "ModuleNotFoundError: No module named 'no_such_package'",
            "needy.py, line 1",
        ),
        ("fleet_parts.leaving:load", "SystemExit: 3", "leaving.py, line 2"),
        ("fleet_parts.mute:load", "SystemExit", "mute.py, line 2"),
        ("fleet_parts.inner.routes:load", "SystemExit: 3", "__init__.py, line 1"),
    ],
)
def test_a_module_that_fails_shows_where_after_a_line(
    calling: Call, function: str, error: str, place: str
) -> None:
    done = calling(function, "serve", "--port", "0")
    line, *trace = done.stderr.splitlines()
    assert done.exit_code == 1
    message = f"{ENDPOINT} {function}: the module cannot be imported: {error} ({place})"
    assert line == f"error[service.misconfigured]: {message}"
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[-1] == error
    done = calling(function, "doctor", "--json")
    (check,) = [one for one in json.loads(done.stdout)["checks"] if one["name"] == "handlers"]
    assert check["message"] == message
    assert calling(function, "users", "list").exit_code == 0


@pytest.mark.parametrize(
    ("settings", "check", "message"),
    [
        (
            {"SERVICE_APP": "fleet_parts.leaving:create"},
            "application",
            "service.app fleet_parts.leaving:create cannot be imported: SystemExit: 3 (leaving.py, line 2)",
        ),
        (
            {"SERVICE_APP": "fleet_parts.inner:create"},
            "application",
            "service.app fleet_parts.inner:create cannot be imported: SystemExit: 3 (__init__.py, line 1)",
        ),
        (
            {"SERVICE_APP": "fleet_parts.inner.routes:create"},
            "application",
            "service.app fleet_parts.inner.routes:create cannot be imported: "
            "SystemExit: 3 (__init__.py, line 1)",
        ),
        (
            {"SERVICE_SEAMS": "fleet_parts.leaving:SEAMS"},
            "start",
            "service.seams fleet_parts.leaving:SEAMS cannot be imported: SystemExit: 3 (leaving.py, line 2)",
        ),
        (
            {"SERVICE_SEAMS": "fleet_parts.broken:SEAMS"},
            "start",
            "service.seams fleet_parts.broken:SEAMS cannot be imported: "
            "NameError: name 'no_such_name' is not defined (broken.py, line 2)",
        ),
        (
            {"SERVICE_SEAMS": "fleet_parts.needy:SEAMS"},
            "start",
            "service.seams fleet_parts.needy:SEAMS cannot be imported: "
            "ModuleNotFoundError: No module named 'no_such_package' (needy.py, line 1)",
        ),
    ],
    ids=["application", "package", "module of a package", "seams", "seams that fail", "seams that need more"],
)
def test_a_module_that_exits_and_seams_that_fail_are_one_line(
    calling: Call, settings: dict[str, str], check: str, message: str
) -> None:
    function = "fleet_parts.routes:load"
    for words in (["serve", "--port", "0"], ["users", "list"]):
        done = calling(function, *words, **settings)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr == f"error[service.misconfigured]: {message}\n"
    done = calling(function, "doctor", "--json", **settings)
    found = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    assert (done.exit_code, found[check]["status"], found[check]["message"]) == (1, "fail", message)


NO_RESOLVER = "import profile old-yards, columnMappings[1].rowValueResolverName: the application has no resolver readYard"


@pytest.mark.parametrize(
    ("seams", "status", "message"),
    [
        ("fleet_parts.profiled:RIGHT", "ok", "the application supplies what its specifications name"),
        ("fleet_parts.profiled:WRONG", "fail", f"{NO_RESOLVER}; did you mean readYrd?"),
        ("", "fail", NO_RESOLVER),
        (
            "fleet_parts.broken:SEAMS",
            "fail",
            "service.seams fleet_parts.broken:SEAMS cannot be imported: NameError: name 'no_such_name' is not defined (broken.py, line 2)",
        ),
    ],
)
def test_resolvers_that_profiles_name_are_examined(
    calling: Call, tmp_path: Path, seams: str, status: str, message: str
) -> None:
    (tmp_path / "fleet_parts" / "profiled.py").write_text(PROFILED)
    settings = {"SERVICE_APP": "fleet_parts.profiled:create", "SERVICE_SEAMS": seams}
    done = calling("", "doctor", "--json", **settings)
    (check,) = [one for one in json.loads(done.stdout)["checks"] if one["name"] == "seams"]
    assert (check["status"], check["message"]) == (status, message)


def test_handlers_that_exist_are_counted(calling: Call) -> None:
    done = calling("fleet_parts.routes:load", "doctor", "--json")
    (check,) = [one for one in json.loads(done.stdout)["checks"] if one["name"] == "handlers"]
    assert (check["status"], check["message"]) == ("ok", "2 functions of endpoints are there")


def test_a_factory_may_be_inside_of_a_class(calling: Call) -> None:
    done = calling("fleet_parts.routes:load", "doctor", "--json", factory=":Factory.create")
    (check,) = [one for one in json.loads(done.stdout)["checks"] if one["name"] == "handlers"]
    assert (check["status"], check["message"]) == ("ok", "2 functions of endpoints are there")


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (":Factory.craete", "has no function 'Factory.craete'"),
        (":craete", "has no function 'craete'"),
        (":CATALOG", "has no function 'CATALOG'"),
        ("", "is named without its function"),
    ],
)
def test_an_application_that_cannot_be_created_is_one_line(calling: Call, factory: str, reason: str) -> None:
    said = f"service.app fleet_generated{factory}: the module fleet_generated {reason}"
    said += "; write module:function, as in generated.app:create"
    done = calling("fleet_parts.routes:load", "serve", "--port", "0", factory=factory)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"error[service.misconfigured]: {said}\n"
    done = calling("fleet_parts.routes:load", "doctor", "--json", factory=factory)
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    assert (checks["handlers"]["status"], checks["handlers"]["message"]) == ("fail", said)
    assert calling("fleet_parts.routes:load", "users", "list", factory=factory).exit_code == 0


def test_what_is_not_a_function_is_none() -> None:
    with pytest.raises(Misconfigured, match="json has no function __name__"):
        require_handlers([Handler("one", "json:dumps", "a.yaml"), Handler("two", "json:__name__", "a.yaml")])


@pytest.mark.parametrize(
    ("named", "right"),
    [
        ("fleet.seams.SEAMS", "fleet.seams:SEAMS"),
        ("fleet.seams", "fleet.seams:SEAMS"),
        ("fleet_seams:", "fleet_seams:SEAMS"),
    ],
)
def test_seams_without_a_colon_read_what_is_right(named: str, right: str) -> None:
    with pytest.raises(Misconfigured) as raised:
        load_seams(named)
    assert raised.value.message == f"service.seams {named} names no value: write {right}"
