"""The texts: which there are, how they look, that nothing in them is left to a template or to chance."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.model import Kind, Model
from generator.render import HEADER, formatting, render, render_system
from generator.render.documents import build_documents_module
from generator.render.formatting import format_aside
from generator.render.module import Imports, call, code, docstring
from generator.render.texts import fill_template
from generator.resolve import resolve
from tests.evolve.written import write_specs
from tests.generator.conftest import Workshop

TEMPLATES = Path(__file__).parents[2] / "generator" / "templates"


@pytest.fixture(scope="session")
def texts(sample_model: Model) -> dict[str, str]:
    return render_texts(sample_model, "sample_generated")


def render_texts(model: Model, package: str) -> dict[str, str]:
    return {
        path: one if isinstance(one, str) else one.decode() for path, one in render(model, package).items()
    }


def test_a_module_for_everything(texts: dict[str, str], sample_model: Model) -> None:
    parts = [one for one in (*sample_model.records, *sample_model.structures) if not one.is_system]
    parts += [one.arguments for one in sample_model.tools if not one.runs]
    models = {f"models/{one.file_name}.py" for one in parts}
    routers = {f"routers/{one.file_name}.py" for one in sample_model.records if one.operations}
    assert set(texts) == models | routers | {
        "README.md",
        "__init__.py",
        "app.py",
        "models/__init__.py",
        "openapi.json",
        "record_types.py",
        "shapes.json",
        "routers/__init__.py",
        "routers/gateway_endpoints.py",
        "routers/goods_in_endpoints.py",
        "routers/integration_endpoints.py",
        "routers/security_endpoints.py",
        "routers/shop_endpoints.py",
        "rules.py",
        "seeds.py",
        "settings.toml",
        "tools.py",
    }


def test_a_renamed_record_type_is_stored_as_before(tmp_path: Path) -> None:
    write_specs(
        tmp_path,
        {
            "box.yaml": "record: Box\nrenamedFrom: Parcel\nfields:\n  code: string\n"
            "  parts: {list: {map: {size: {type: integer, renamedFrom: width}}}}\n",
            "trip.yaml": "record: Trip\nfields: {box: {reference: Box}}\n",
        },
    )
    texts = render(resolve(load(tmp_path, SYSTEM_SPECS)), "renamed")
    kinds = texts["record_types.py"]
    for text in (
        'name="Parcel"', 'title="Box"', 'collection="parcels"', 'base_path="/post/boxes"',
        'Reference("box", "Parcel")', 'Later("renamed.models.box", "Box")',
        'renamed_inside={"parts.{}.size": "width"}',
    ):  # fmt: skip
        assert text in kinds
    shapes = json.loads(texts["shapes.json"])
    assert shapes["Trip"]["fields"]["box"]["target"] == "Parcel"
    assert "Parcel" in shapes
    assert "Box" not in shapes
    document = json.loads(texts["openapi.json"])
    assert "Box" in document["components"]["schemas"]
    assert document["paths"]["/post/boxes"]["post"]["operationId"] == "parcel_save"


def test_a_changed_profile_is_a_seed_of_its_version(sample_model: Model) -> None:
    """A seed is planted again when its version is greater; the other profiles stay as users left them."""
    (profile, *others) = sample_model.import_profiles
    seeds = render(replace(sample_model, import_profiles=(replace(profile, version=7), *others)))["seeds.py"]
    found = dict(re.findall(r"IMPORT_PROFILE,\s+(\d+),\s+\((?:.|\n)*?\"refName\": \"(\w+)\"", seeds))
    assert found["7"] == profile.rows[0]["refName"]
    assert len(found) == 1 + bool(others)


VAN = "record: Van\nfields:\n  home: {reference: Yard}\n  next: {reference: Van}\n"
YARD = "record: Yard\nfields:\n  vans: {list: {reference: Van}}\n"

ORDERS = [
    pytest.param(["Van: a", "Yard: b", "Van: c"], "a c b", id="as written, file by file"),
    pytest.param(
        ["Van: late, home: north", "Van: early, next: late", "Van: free", "Yard: north, vans: [free]"],
        "free north late early",
        id="behind seeds of any file",
    ),
    pytest.param(["Van: c, next: b; b, next: a; a"], "a b c", id="rows of one seed"),
    pytest.param(["Yard: x, vans: [b]; y", "Van: b, home: y"], "y b x", id="two seeds that need each other"),
    pytest.param(["Van: b, next: {entityId: 65f1c0de0000400080000001}"], "b", id="by id"),
]


def seeds_of(written: list[str]) -> str:
    """The YAML of seeds that are written as ``Record: refName, field: value; refName``."""
    lines = []
    for seed in written:
        record, rows = seed.split(": ", 1)
        braced = ", ".join(f"{{refName: {row}}}" for row in rows.split("; "))
        lines.append(f"  - {{record: {record}, rows: [{braced}]}}\n")
    return "seeds:\n" + "".join(lines)


@pytest.mark.parametrize(("written", "planted"), ORDERS)
def test_rows_come_behind_those_that_they_refer_to(
    workshop: Workshop, written: list[str], planted: str
) -> None:
    of_vans = [one for one in written if one.startswith("Van")]
    files = {
        "specs/fleet/van.yaml": VAN,
        "specs/fleet/seeds.yaml": seeds_of(of_vans),
        "specs/yards/yard.yaml": YARD,
    }
    if of_yards := [one for one in written if one.startswith("Yard")]:
        files["specs/yards/seeds.yaml"] = seeds_of(of_yards)
    seeds = render(workshop.model(files))["seeds.py"]
    assert re.findall(r'"refName": "(\w+)"', seeds) == planted.split()


def test_without_tools_there_are_none(sample_model: Model) -> None:
    assert (
        "TOOLS: tuple[runtime.model.tool.Tool, ...] = ()"
        in render(replace(sample_model, tools=()))["tools.py"]
    )


def test_without_settings_there_is_no_file_of_settings(sample_model: Model) -> None:
    assert "settings.toml" not in render(replace(sample_model, settings={}))


def test_settings_are_toml(sample_model: Model) -> None:
    settings = {"log.level": "DEBUG", "service.base-url": 'https://ä.example/"q"', "auth.bcrypt-cost": 5}
    settings |= {"limits.head-seconds": 2.5, "service.change-streams": False}
    text = render(replace(sample_model, settings=settings))["settings.toml"]
    assert tomllib.loads(text) == settings
    assert HEADER in text.partition("\n")[0]


def test_every_module_says_in_its_first_line_that_it_is_generated(texts: dict[str, str]) -> None:
    for path, text in texts.items():
        if path.endswith(".py"):
            assert HEADER in text.partition("\n")[0], path
            assert ast.get_docstring(ast.parse(text)), path


@pytest.mark.parametrize("title", ['"""', "\\ \\u12", 'ends with "', "two\nlines", "null \0"])
def test_any_title_names_a_package(sample_model: Model, title: str) -> None:
    text = render(replace(sample_model, title=title))["__init__.py"]
    said = f"What {' '.join(title.split())} is made of, from its specifications. {HEADER}"
    assert ast.get_docstring(ast.parse(text)) == said


def test_a_module_names_its_source(texts: dict[str, str]) -> None:
    assert texts["models/article.py"].startswith('"""Article, from specs/shop/article.yaml. ')
    assert texts["routers/article.py"].startswith('"""Routes of Article at /shop/articles, from specs/shop/')


def test_the_package_is_the_one_asked_for(sample_model: Model) -> None:
    for package in ("generated", "my.service"):
        found = render_texts(sample_model, package)
        assert f'Later("{package}.models.article", "Article")' in found["record_types.py"]
        assert f"``{package}.app:create``" in found["app.py"]
        others = {"generated", "my.service"} - {package}
        assert not any(f"{other}.models" in text for text in found.values() for other in others)


def test_texts_end_with_one_newline_and_have_no_returns(texts: dict[str, str]) -> None:
    for path, text in texts.items():
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path
        assert "\r" not in text, path


def test_nothing_of_the_machine_or_the_moment_is_told(texts: dict[str, str]) -> None:
    whole = "\n".join(texts.values())
    assert str(Path.cwd()) not in whole
    assert "recordsmith-" not in whole, "the folder the formatter works in"


# Models -------------------------------------------------------------------------------------------


def fields_of(text: str, name: str) -> list[str]:
    """The fields of a class, as written."""
    classes = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    return [
        node.target.id
        for node in classes[name].body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]


def bases_of(text: str) -> dict[str, list[str]]:
    return {
        node.name: [ast.unparse(base) for base in node.bases]
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    }


def test_the_classes_of_a_record(texts: dict[str, str]) -> None:
    assert bases_of(texts["models/article.py"]) == {
        "ArticleMeasureBox": ["Strict"],
        "ArticleMeasure": ["Strict"],
        "ArticlePart": ["Strict"],
        "ArticleSlot": ["Strict"],
        "ArticleFields": ["Strict"],
        "ArticleInput": ["ArticleFields", "RecordInput"],
        "Article": ["ArticleFields", "Record"],
        "ArticleStored": ["ArticleInput"],
    }


def test_a_record_without_unseen_fields_has_three(texts: dict[str, str]) -> None:
    assert list(bases_of(texts["models/colour.py"])) == ["ColourFields", "ColourInput", "Colour"]


def test_where_fields_stand(texts: dict[str, str]) -> None:
    text = texts["models/article.py"]
    assert fields_of(text, "ArticleInput") == ["token", "label"], "hidden; required of the server alone"
    assert fields_of(text, "Article") == ["label"]
    assert fields_of(text, "ArticleStored") == ["margin"], "hidden and set by the server"
    assert {"title", "sold", "rating", "status"} <= set(fields_of(text, "ArticleFields"))


def test_members_that_a_record_asks_for(texts: dict[str, str]) -> None:
    asked = ["dynamic_attributes", "persistent_events", "invalid", "violations"]
    assert fields_of(texts["models/maker.py"], "MakerFields") == ["name", "owner", *asked]


def test_structures_are_imported_never_written_again(texts: dict[str, str]) -> None:
    assert "from sample_generated.models.address import Address" in texts["models/depot.py"]
    assert "class Address" not in texts["models/depot.py"]
    assert list(bases_of(texts["models/address.py"])) == ["Address"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("stock: Annotated[int | None, Field(ge=0, le=100000)] = 0", id="integer"),
        pytest.param(
            'discount: Annotated[Decimal | None, Field(gt=-1, le=1), ExactDecimal()] = Decimal("0.25")',
            id="decimal",
        ),
        pytest.param('since: LocalDate | None = date.fromisoformat("2026-01-01")', id="date"),
        pytest.param(
            'changed_at: Moment | None = datetime.fromisoformat("2026-01-01T08:00:00Z")', id="moment"
        ),
        pytest.param('= Field(default_factory=lambda: ["new"])', id="list"),
        pytest.param('default_factory=lambda: {"en": "lamp"}', id="map"),
        pytest.param("default_factory=lambda: Address.model_validate_json(", id="structure"),
        pytest.param('"MEDIUM", "EXTRA LARGE"] | None = "MEDIUM"', id="enum"),
        pytest.param('Field(ge=0, multiple_of=0.01, description="Per piece.")', id="description"),
        pytest.param(
            'old: Annotated[str | None, Field(description="Use title.", deprecated=True)]', id="deprecated"
        ),
    ],
)
def test_a_line_of_a_model(texts: dict[str, str], line: str) -> None:
    assert line in texts["models/article.py"]


# Record types -------------------------------------------------------------------------------------


def kind_of(texts: dict[str, str], constant: str) -> dict[str, str]:
    """The words of one ``RecordType(…)``."""
    for node in ast.parse(texts["record_types.py"]).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == constant:
            assert isinstance(node.value, ast.Call)
            return {str(word.arg): ast.unparse(word.value) for word in node.value.keywords}
    raise AssertionError(f"no {constant}")


def test_a_record_type_says_only_what_differs(texts: dict[str, str]) -> None:
    assert kind_of(texts, "COLOUR") == {
        "name": "'Colour'",
        "area": "'shop'",
        "model": "Later('sample_generated.models.colour', 'Colour')",
        "collection": "'colours'",
        "base_path": "'/shop/colours'",
    }


@pytest.mark.parametrize(
    ("constant", "word", "value"),
    [
        pytest.param("MAKER", "roles", "frozenset({'admin', 'clerk'})", id="roles"),
        pytest.param("MAKER", "on_delete", "'archive'", id="on delete"),
        pytest.param("MAKER", "audited", "True", id="audited"),
        pytest.param("MAKER", "persistent_events", "True", id="events"),
        pytest.param("MAKER", "lenient", "True", id="lenient"),
        pytest.param("MAKER", "collection", "'shopMakers'", id="collection"),
        pytest.param("ARTICLE", "hidden", "frozenset({'margin', 'token'})", id="hidden"),
        pytest.param(
            "ARTICLE", "server_set", "frozenset({'label', 'margin', 'rating', 'sold'})", id="server"
        ),
        pytest.param("ARTICLE", "immutable", "frozenset({'code'})", id="immutable"),
        pytest.param("ARTICLE", "text", "('details',)", id="text"),
        pytest.param("ARTICLE", "calculated", "{'label': '{code} {title}'}", id="calculated"),
        pytest.param("ARTICLE", "states", "{'status': ARTICLE_LIFECYCLE}", id="states"),
        pytest.param(
            "ARTICLE",
            "constraints",
            "(Constraint('price:>##0', 'the price must be positive'),)",
            id="constraints",
        ),
        pytest.param(
            "DELIVERY",
            "indexes",
            "(Index((('expires', 1),), per_realm=True, expire_after_seconds=3600),)",
            id="expiry",
        ),
    ],
)
def test_a_word_of_a_record_type(texts: dict[str, str], constant: str, word: str, value: str) -> None:
    assert kind_of(texts, constant)[word] == value


def test_references_wherever_they_stand(texts: dict[str, str]) -> None:
    assert kind_of(texts, "ARTICLE")["references"] == (
        "(Reference('maker', 'Maker', track=True, required=True, predicate='madeBy'), "
        "Reference('similar[]', 'Article'), Reference('origin.depot', 'Depot'), Reference('parts[].supplier', 'Maker'))"
    )


def test_a_state_graph(texts: dict[str, str]) -> None:
    text = texts["record_types.py"]
    assert '"DRAFT": State(initial=True, next=("OFFERED", "DROPPED")),' in text
    assert '"DROPPED": State(final=True),' in text


def test_the_records_of_the_system_are_of_the_runtime(texts: dict[str, str], sample_model: Model) -> None:
    own, catalog = render_system(sample_model), texts["record_types.py"].partition("CATALOG")[2]
    system = [one for one in sample_model.records if one.is_system]
    assert len(system) >= 15
    for record in system:
        assert f"models/{record.file_name}.py" in own
        assert f"models/{record.file_name}.py" not in texts
        kind = f"RecordType[Any, documents.{record.name}Document]"
        assert f"\n{record.constant}: {kind} = " in own["record_types.py"]
        assert f"\n{record.constant} = " not in texts["record_types.py"]
        assert f" {record.constant}," in catalog
    assert not [path for path in own if path.startswith("routers/")]


def test_a_record_of_the_system_without_routes_has_one_class(sample_model: Model) -> None:
    own = render_system(sample_model)
    for file, bases in (
        ("consent", "Strict RecordInput"),
        ("removed_user", "RecordInput"),
        ("credential", "Strict RecordInput Credential"),  # what only the server sets and nobody sees
    ):
        text = own[f"models/{file}.py"]
        assert re.findall(r"^class \w+\((.*)\):", text, re.M) == bases.split()
    assert "    login_name: " in own["models/removed_user.py"], "hidden, and stored"
    removed_user = own["record_types.py"].partition("REMOVED_USER")[2].partition("\n)\n")[0]
    assert "base_path" not in removed_user
    assert "operations" not in removed_user


def test_a_class_of_the_service_says_what_a_schema_shows(sample_model: Model) -> None:
    own = render_system(sample_model)
    described = {path for path, text in own.items() if "description=" in text}
    assert {"models/webhook.py", "models/domain_context.py"} <= described, "read as records, or in one"
    assert {"models/webhook_delivery.py", "models/new_webhook.py", "models/session.py"}.isdisjoint(described)


def test_answers_that_nothing_builds_as_such_have_no_class(sample_model: Model) -> None:
    own = render_system(sample_model)
    assert "models/query_exported.py" not in own, "its route sends CSV"
    assert "models/query_page.py" in own
    classes = re.findall(r"^class (\w+)Body", own["answers.py"], re.M)
    assert {"CreatedGroup", "CreatedTask", "CompletedTask", "QueryPage", "AgentConfig"}.isdisjoint(classes)
    assert {"GroupProgress", "CreatedWebhook"} <= {*classes}


def test_a_stored_record_is_a_typed_dictionary(sample_model: Model) -> None:
    text = render_system(sample_model)["documents.py"]
    assert "class CredentialDocument(RecordDocument, total=False):\n" in text
    assert "    domainContext: DomainContextDocument\n" in text
    assert "    realmRoles: dict[str, list[str]]\n" in text
    assert "    impersonationGranter: CredentialImpersonationGranterDocument\n" in text
    assert '    state: Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]\n' in text
    assert text.index("class DomainContextDocument") < text.index("class CredentialDocument")


def test_a_date_is_stored_as_text(sample_model: Model) -> None:
    record = sample_model.records[0]
    dates = [one for record in sample_model.records for one in record.fields if one.type.kind is Kind.DATE]
    (written,) = build_documents_module([replace(record, fields=(dates[0],))], ()).classes
    assert written.lines == (f"{dates[0].name}: str",)


# Routers ------------------------------------------------------------------------------------------


def functions_of(text: str) -> dict[str, ast.AsyncFunctionDef]:
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.AsyncFunctionDef)}


def test_a_route_is_a_signature_and_a_call(texts: dict[str, str]) -> None:
    found = functions_of(texts["routers/article.py"])
    assert list(found) == [
        "list_records", "find_records", "list_references", "count_records", "export_csv", "import_csv",
        "open_session", "open_profile_session", "list_rows", "export_errors", "follow_progress", "commit_session",
        "discard_session",
        "get_schema", "get_by_id", "get_by_ref_name", "get_states", "get_transitions", "save", "set_fields", "patch", "run_bulk", "run_bulk_set",
        "delete_by_id",
    ]  # fmt: skip
    for function in found.values():
        assert len(function.body) == 2, "a sentence and a call"
    assert ast.unparse(found["get_by_id"].args) == (
        "call: Calling, record_id: RecordId, unless: IfNoneMatch=None, expand: Expand=None"
    )
    assert (
        ast.unparse(found["list_records"].body[1])
        == "return await records.list_records(call, ARTICLE, query)"
    )
    assert ast.unparse(found["list_records"].returns or ast.Pass()) == "Json[Page[Article]]"


def test_only_published_operations_have_routes(texts: dict[str, str]) -> None:
    assert list(functions_of(texts["routers/delivery.py"])) == [
        "list_records", "count_records", "get_by_id", "save",
    ]  # fmt: skip
    assert "Bulk" not in texts["routers/delivery.py"], "and nothing is imported in vain"


def test_routers_stay_small(texts: dict[str, str]) -> None:
    for path, text in texts.items():
        if path.startswith("routers/"):
            most = 14 if path.endswith("_endpoints.py") else 9
            imports, _router, routes = text.partition("\nrouter = ")
            assert len(routes.splitlines()) <= 15 + most * len(functions_of(text)), path
            assert len(imports.splitlines()) <= 25 + len(functions_of(text)), path


def test_an_endpoint_calls_its_handler(texts: dict[str, str]) -> None:
    text = texts["routers/shop_endpoints.py"]
    found = functions_of(text)
    assert "import sample_handlers" in text
    assert ast.unparse(found["opening"].args) == "call: Anonymous"
    assert ast.unparse(found["forget"].body[-1]) == "return nothing()"
    assert ast.unparse(found["forget"].body[-2]) == "await sample_handlers.forget(share_key(call), id_=id_)"
    greet = [ast.unparse(line) for line in found["greet"].body]
    assert greet[1] == "admit(call, {'admin', 'clerk'}, area='shop', domain='greet', action='CREATE')"
    handed_on = "call, body, id_=id_, times=times, since=since, x_tone=x_tone"
    assert greet[2] == f"return answer(Greeting, await sample_handlers.greet({handed_on}), status=201)"


def test_parameters_of_an_endpoint(texts: dict[str, str]) -> None:
    arguments = ast.unparse(functions_of(texts["routers/shop_endpoints.py"])["greet"].args)
    assert "id_: Annotated[ObjectIdText, Path(alias='id')]," in arguments
    assert "times: Annotated[int, Field(ge=1, le=9), Query(alias='times')]=1" in arguments
    assert "since: Annotated[LocalDate | None, Query(alias='since')]=None" in arguments
    assert "x_tone: Annotated[str | None, Header(alias='X-Tone')]=None" in arguments


def test_a_default_of_an_endpoint_is_not_shared_between_calls(tmp_path: Path) -> None:
    parameters = (
        "{kinds: {list: string, default: [A]}, sizes: {list: integer}, "
        "size: {type: integer, default: 1, description: ''}}"
    )
    handling = "method: GET, path: /post/trips, summary: Find trips, handler: 'post.trips:find'"
    write_specs(
        tmp_path, {"trips.yaml": f"endpoints: [{{id: post_find, {handling}, parameters: {parameters}}}]\n"}
    )
    text = render(resolve(load(tmp_path, SYSTEM_SPECS)), "made")["routers/post_endpoints.py"]
    find = [ast.unparse(line) for line in functions_of(text)["find"].body]
    assert "await post.trips.find(call, kinds=[*kinds], sizes=sizes, size=size)" in find


def test_each_endpoint_that_is_not_public_asks_the_rules(texts: dict[str, str]) -> None:
    found = functions_of(texts["routers/shop_endpoints.py"])
    forget = [ast.unparse(line) for line in found["forget"].body]
    assert forget[1] == "admit(call, (), area='shop', domain='greet', action='DELETE')"
    assert "admit(" not in ast.unparse(found["opening"])


# The rest -----------------------------------------------------------------------------------------


def test_tools_are_a_name_classes_and_a_call(texts: dict[str, str]) -> None:
    text = " ".join(texts["tools.py"].split())
    assert 'name="query_find"' in text
    assert "run=runtime.gateway.reading.find" in text
    for run in (
        'query_records("Article", filter="price:<${most}", sort="-price", projection="+title", limit=10)',
        'count_matching("Article", filter="status:${status}", words=frozenset({"status"}))',
        'save_arguments("Maker")',
        'move_state("Article", field="status", to="DROPPED")',
        'call_endpoint( Later("sample_generated.routers.shop_endpoints", "greet"), request=GreetingRequest, parameters={"id": "id_", "times": "times", "since": "since"}, )',
    ):
        assert run in text, run
    assert "shop_endpoints import" not in text, "a handler that is missing stops commands that use no tools"
    assert "import shop_endpoints" not in text


def test_the_readme_lists_and_draws(texts: dict[str, str]) -> None:
    text = texts["README.md"]
    assert "| [Article](models/article.py) | specs/shop/article.yaml | `/shop/articles` | list, find," in text
    assert "| POST | `/shop/greet/{id}` | Say hello | `sample_handlers:greet` |" in text
    assert "## State graph articleLifecycle" in text
    for line in (
        "[*] --> DRAFT : default",
        "DRAFT --> OFFERED",
        "DROPPED --> [*]",
        'Article }o--|| Maker : "maker, tracked"',
    ):
        assert f"    {line}\n" in text
    assert text.count("```") % 2 == 0


def test_a_template_has_no_condition_but_the_first_of_a_loop() -> None:
    for file in TEMPLATES.iterdir():
        text = file.read_text("utf-8")
        conditions = re.findall(r"{%-?\s*(?:el)?if ([^%]*?)\s*-?%}", text)
        assert set(conditions) <= {"loop.first"}, file.name
        assert len(text.splitlines()) <= 60, file.name


def test_a_name_that_a_context_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="module"):
        fill_template("model")


def test_a_name_of_the_runtime_must_be_listed() -> None:
    imports = Imports()
    with pytest.raises(KeyError, match="runtime_names"):
        imports.name("runtime.http", "Secret")


def test_imports_do_not_depend_on_the_order_of_asking() -> None:
    one, other = Imports(), Imports()
    for imports, names in ((one, ("Json", "Page")), (other, ("Page", "Json"))):
        for name in names:
            imports.name("runtime.http", name)
    assert one.lines == other.lines == ["from runtime.http import Json, Page"]


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("a\"b'c\\d\n", id="text"),
        pytest.param((1,), id="one"),
        pytest.param((), id="none"),
        pytest.param({"a": [1, (2, None)], "b": True}, id="nested"),
    ],
)
def test_code_of_plain_data_reads_back(value: object) -> None:
    assert ast.literal_eval(code(value)) == value


def test_sets_are_sorted() -> None:
    assert code(frozenset({"b", "c", "a"})) == "frozenset({'a', 'b', 'c'})"


def test_a_call_leaves_out_what_is_none() -> None:
    assert call("f", "1", a=None, b="2") == "f(1, b=2)"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'ends with a "quote"',
        'three """ in it',
        "back\\slash",
        "two\n  lines",
        "ends with \\",
        "null \x001",
    ],
)
def test_any_text_makes_a_docstring(text: str) -> None:
    assert ast.literal_eval(docstring(text)) == " ".join(text.split())


def test_the_formatter_sorts_and_breaks_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 40\n")
    monkeypatch.chdir(tmp_path)
    text = "from runtime import b\nimport pydantic\nimport ast\nx = {'a':1}\n"
    wanted = 'import ast\n\nimport pydantic\n\nfrom runtime import b\n\nx = {"a": 1}\n'
    with format_aside({"deep/in/a.py": text}, {"runtime"}) as finish:
        assert finish() == {"deep/in/a.py": wanted}


@pytest.mark.parametrize("has_memory", [True, False], ids=["in memory", "on the disk"])
def test_files_in_memory_are_used_where_there_are_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_memory: bool
) -> None:
    memory = tmp_path / "memory"
    monkeypatch.setattr(formatting, "_MEMORY", memory)
    if has_memory:
        memory.mkdir()
    with format_aside({"a.py": "x = {'a':1}\n"}, set()) as finish:
        assert [*memory.glob("*/a.py")] if has_memory else not memory.exists()
        assert finish() == {"a.py": 'x = {"a": 1}\n'}
    assert [*memory.glob("*")] == []


def test_what_is_no_python_is_refused() -> None:
    with format_aside({"a.py": "def ("}, set()) as finish, pytest.raises(RuntimeError, match="ruff refuses"):
        finish()


def test_a_small_model(model_of: Callable[..., Model]) -> None:
    """A record of nothing but its name, without areas of its own, renders too."""
    found = render(model_of("record: Parcel\nfields: {}\nendpoints: []\n"))
    assert "models/parcel.py" in found
    assert "routers/parcel.py" not in found
    assert "class Parcel(ParcelFields, Record):" in found["models/parcel.py"]
