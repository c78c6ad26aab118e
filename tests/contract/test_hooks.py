"""The checks that the ``schemathesis`` command gets from hooks.py, without a service."""

from __future__ import annotations

import copy
import importlib.util
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests
import schemathesis
from schemathesis import Case, CheckContext, Response
from schemathesis.config import ChecksConfig, ProjectConfig, SchemathesisConfig
from schemathesis.core import NOT_SET
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.openapi.checks import UseAfterFree
from schemathesis.specs.openapi import examples
from schemathesis.specs.openapi.coverage._schema import CoverageContext
from urllib3 import connectionpool
from urllib3.util import url

from tests.documents import list_operations
from tests.http.documented import PUBLISHED

HOOKS = Path(__file__).with_name("hooks.py")
SERVICE = "http://service.example"
ID = "0" * 24

_parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
_answers = {"responses": {"200": {"description": "OK"}}}
_record = {"parameters": [_parameter], "get": _answers, "delete": _answers}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0", "info": {"title": "Two types", "version": "1"}, "servers": [{"url": SERVICE}],
    "paths": {
        "/countries": {"post": _answers}, "/countries/id/{id}": _record,
        "/products": {"post": _answers}, "/products/id/{id}": _record,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """hooks.py, loaded in a folder like that of a run; what it changes in schemathesis is put back."""
    known = {"records": {}, "login": {}, "archived": ["/products"]}
    folder = tmp_path_factory.mktemp("hooks")
    (folder / "known.json").write_text(json.dumps(known))
    spec = importlib.util.spec_from_file_location("contract_hooks", HOOKS)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    plain = {
        name: getattr(ProjectConfig, name) for name in ("phases_for", "generation_for", "checks_config_for")
    }
    patched = (
        (examples, "_generate_single_example"),
        (connectionpool, "_encode_target"),
        (CoverageContext, "_distinct_array"),
    )
    before = [getattr(owner, name) for owner, name in patched]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        spec.loader.exec_module(module)
    assert plain.keys() == set(module.MERGED)
    yield module
    for (owner, name), own in zip(patched, before, strict=True):
        setattr(owner, name, own)
    for name, method in plain.items():
        setattr(ProjectConfig, name, method)


class Chain:
    """Requests of which each follows from the one before it."""

    def __init__(self) -> None:
        self._schema = schemathesis.openapi.from_dict(DOCUMENT)
        self._recorder = ScenarioRecorder(label="chain")
        self._last: Case[Any] | None = None

    def add(self, request: str, status: int, **headers: str) -> tuple[CheckContext, Response, Case[Any]]:
        """Record a request and its answer; return what a check gets."""
        method, path = request.split()
        case = self._schema[path][method].Case(path_parameters={"id": ID} if "{" in path else {})
        self._recorder.record_case(case=case, parent_id=self._last.id if self._last else None)
        self._last = case
        sent = requests.Request(method, SERVICE + path.format(id=ID)).prepare()
        named = {name.replace("_", "-"): [value] for name, value in headers.items()}
        response = Response(status, named, b"", sent, 0.1, verify=False)
        self._recorder.record_response(case_id=case.id, response=response)
        context = CheckContext(None, None, None, ChecksConfig(), None, self._recorder, response_checks=None)
        return context, response, case


def test_headers_of_each_call_are_sent_to_some_routes(hooks: ModuleType) -> None:
    document = copy.deepcopy(PUBLISHED)
    hooks.before_load_schema(None, document)
    tried = set()
    for path, method, operation in list_operations(PUBLISHED):
        before, after = (one.get("parameters", []) for one in (operation, document["paths"][path][method]))
        if operation["operationId"] in hooks.WITH_THEM:
            assert after == before
            assert {one.get("$ref") for one in after} >= hooks.OF_EACH_CALL
            tried.add(operation["operationId"])
        else:
            assert after == [one for one in before if one.get("$ref") not in hooks.OF_EACH_CALL]
    assert tried == hooks.WITH_THEM


def test_settings_of_an_operation_are_merged_once(hooks: ModuleType) -> None:
    """Those of its routes, by operation and phase; without an operation nothing is remembered."""
    settings = tomllib.loads(HOOKS.with_name("schemathesis.toml").read_text())
    config = SchemathesisConfig.from_dict({"operations": settings["operations"]})
    document = copy.deepcopy(DOCUMENT)
    for name, tag in (("countries", "Country"), ("products", "Order")):
        named = {"tags": [tag], "operationId": f"{name}_save"}
        document["paths"][f"/{name}"]["post"] = _answers | named
    schema = schemathesis.openapi.from_dict(document, config=config)
    country, product = schema["/countries"]["POST"], schema["/products"]["POST"]
    first = schema.config.phases_for(operation=country)
    assert (first.coverage.enabled, first.fuzzing.enabled) == (False, True)
    assert schema.config.phases_for(operation=country) is first
    assert schema.config.phases_for(operation=product).coverage.enabled
    assert schema.config.phases_for(operation=None).coverage.enabled
    fuzzing, coverage = (
        schema.config.generation_for(operation=country, phase=phase) for phase in ("fuzzing", "coverage")
    )
    assert fuzzing is schema.config.generation_for(operation=country, phase="fuzzing")
    assert fuzzing is not coverage
    other = schemathesis.openapi.from_dict(document)
    assert other.config.phases_for(operation=other["/countries"]["POST"]).coverage.enabled


def test_an_example_of_a_part_is_generated_once(hooks: ModuleType) -> None:
    """For each schema and what it refers to; what a request changes in one is not in the next."""
    asked: list[dict[str, Any]] = []
    generate = hooks.generate_once(lambda schema, *_more: asked.append(schema) or {"of": len(asked)})
    config = SchemathesisConfig().projects.default.generation
    plain, refers = {"type": "object"}, {"$ref": "#/x-bundled/one"}
    storage = {"x-bundled": {"one": plain}}
    first = generate(plain, config, None)
    assert first == {"of": 1}
    first["of"] = 0
    assert generate(plain | storage, config, None) == {"of": 1}, "it refers to nothing in there"
    assert generate(refers | storage, config, None) == {"of": 2}
    assert generate(refers | {"x-bundled": {"one": refers}}, config, None) == {"of": 3}
    assert generate({"type": "array"}, config, None) == {"of": 4}
    nothing = hooks.generate_once(lambda *_given: NOT_SET)
    assert [nothing(plain, config, None) is NOT_SET for _time in range(2)] == [True, True]


def test_a_target_is_encoded_as_urllib3_would(hooks: ModuleType) -> None:
    """One that is encoded already is left as it is."""
    encoded: list[str] = []
    encode = hooks.encode_once(lambda target: encoded.append(target) or url._encode_target(target))
    plain = ["/", "/a~b/c;d=1/@:!$&'()*+,", "/a%20b?x=%C3%A4&y=/?:@", "/?"]
    others = ["/a b", "/ä?ü", "/%e4", "/%", "/a?b=%zz", "/?a=[1]", "/a?b\nc", "/\\"]
    for target in plain + others:
        assert encode(target) == url._encode_target(target), target
    assert encoded == others


def test_the_longest_array_of_ids_is_counted(hooks: ModuleType) -> None:
    count = hooks.count_ids(lambda _context, _schema, length: ["drawn"] * length)
    ids = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
    counted = count(None, {"type": "array", "items": ids, "uniqueItems": True}, 1000)
    assert len(set(counted)) == 1000
    assert all(hooks.ID.fullmatch(one) for one in counted)
    assert count(None, {"items": {"type": "string"}}, 2) == ["drawn", "drawn"]


def test_what_was_deleted_is_gone(hooks: ModuleType) -> None:
    chain = Chain()
    chain.add("POST /countries", 201)
    chain.add("DELETE /countries/id/{id}", 204, Dry_Run="true")
    chain.add("DELETE /countries/id/{id}", 204)
    with pytest.raises(UseAfterFree):
        hooks.used_after_deletion(*chain.add("GET /countries/id/{id}", 200))


def test_what_was_deleted_twice_under_one_key_is_gone(hooks: ModuleType) -> None:
    chain = Chain()
    chain.add("POST /countries", 201)
    chain.add("DELETE /countries/id/{id}", 204, Idempotency_Replayed="true")
    with pytest.raises(UseAfterFree):
        hooks.used_after_deletion(*chain.add("GET /countries/id/{id}", 200))


def test_a_dry_run_does_not_bring_it_back(hooks: ModuleType) -> None:
    chain = Chain()
    chain.add("POST /countries", 201)
    chain.add("DELETE /countries/id/{id}", 204)
    chain.add("POST /countries", 201, Dry_Run="true")
    with pytest.raises(UseAfterFree):
        hooks.used_after_deletion(*chain.add("GET /countries/id/{id}", 200))


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        pytest.param("/countries", {"Dry_Run": "true"}, id="a dry run deletes nothing"),
        pytest.param("/products", {}, id="a deletion that archives leaves the record readable"),
    ],
)
def test_what_is_still_there_may_be_read(hooks: ModuleType, path: str, headers: dict[str, str]) -> None:
    chain = Chain()
    chain.add(f"POST {path}", 201)
    chain.add(f"DELETE {path}/id/{{id}}", 204, **headers)
    hooks.used_after_deletion(*chain.add(f"GET {path}/id/{{id}}", 200))


LONG = "0" * 4000


@pytest.mark.parametrize("place", ["query", "body"])
@pytest.mark.parametrize("text", [LONG, "=", "a:{}", "2026-01-01 10:00", "a:b)"])
def test_an_unreadable_filter_is_a_reason(hooks: ModuleType, place: str, text: str) -> None:
    case = Chain().add("POST /countries", 400)[2]
    setattr(case, place, {"filter": text})
    with pytest.raises(hooks.FilterSyntax) as refused:
        hooks.parse_filter(text)
    answer = _refusal(refused.value.message)
    hooks._refused_in_a_line(answer, case)


def test_the_message_is_about_that_filter(hooks: ModuleType) -> None:
    case = Chain().add("POST /countries", 400)[2]
    case.query = {"filter": "a"}
    with pytest.raises(AssertionError, match="refused though it fits the schema"):
        hooks._refused_in_a_line(_refusal("b is not a condition"), case)


def _refusal(message: str) -> Response:
    sent = requests.Request("POST", f"{SERVICE}/countries").prepare()
    line = " ".join(message.split()).encode()
    return Response(400, {"content-type": ["text/plain; charset=utf-8"]}, line, sent, 0.1, verify=False)
