"""Fields that a project adds to record types of the service."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.model import Model, Record
from generator.problems import ProblemList
from generator.render import render, render_system
from generator.resolve import resolve
from tests.generator.conftest import SURROUNDINGS, Workshop

WEBHOOK = """
extend: Webhook
fields:
  team:   {type: string, maxLength: 50, indexed: true}
  vaultKey: {type: string, hidden: true, unique: true}
  depot:  {reference: Country}
indexes:
  - [team, address]
"""


class Whole(Workshop):
    """With the specifications of the service."""

    def model(self, files: Mapping[str, str], *_more: object) -> Model:
        self.write({**SURROUNDINGS, **files})
        return resolve(load(self.folder / "specs", SYSTEM_SPECS))


@pytest.fixture
def whole(tmp_path: Path) -> Whole:
    return Whole(tmp_path)


def record_of(model: Model, name: str) -> Record:
    (found,) = (one for one in model.records if one.name == name)
    return found


def test_record_has_both_and_the_service_keeps_its_own(whole: Whole) -> None:
    extended = record_of(whole.model({"specs/integration/webhook.yaml": WEBHOOK}), "Webhook")
    plain = record_of(
        whole.model({"specs/integration/webhook.yaml": "structure: Depot\nfields: {a: string}\n"}), "Webhook"
    )
    assert extended.extends == plain
    assert [field.name for field in extended.fields] == [
        *(field.name for field in plain.fields),
        "team",
        "vaultKey",
        "depot",
    ]
    assert extended.fields[: len(plain.fields)] == plain.fields
    assert set(plain.indexes) < set(extended.indexes)
    assert (extended.area, extended.path, extended.operations) == (plain.area, plain.path, plain.operations)
    assert (extended.roles, extended.collection) == (plain.roles, plain.collection)


def test_code_of_the_project_has_it_and_that_of_the_service_does_not(whole: Whole) -> None:
    plain = render_system(whole.model({}))
    model = whole.model({"specs/integration/webhook.yaml": WEBHOOK})
    texts = render(model)
    document = texts["openapi.json"].decode()
    assert render_system(model) == plain
    assert "team: " in texts["models/webhook.py"]
    assert "vault_key" not in texts["models/webhook.py"].partition("class Webhook(")[2], "hidden: not read"
    assert 'model=Later("generated.models.webhook", "Webhook")' in texts["record_types.py"]
    assert "from generated.record_types import WEBHOOK" in texts["routers/webhook.py"]
    assert texts["record_types.py"].count("WEBHOOK:") == 1
    for name in ("Webhook", "WebhookRow"):
        assert f'"{name}":' in document
        assert "vaultKey" not in document.partition(f'"{name}":')[2].partition("\n},")[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("extend: Credential\nfields:\n  roles: string\n", "3:3: error[SPEC026] Credential has a field roles already"),
        ("extend: Credential\nfields:\n  passwordHash: string\n", "has a field passwordHash already"),
        ("extend: Credential\nfields:\n  dataDomain: string\n", '3:3: error[SPEC023] "dataDomain" is a common field'),
        ("extend: Webhook\nfields:\n  team: {type: string, required: true}\n", "drop required"),
        ("extend: Webhook\nfields:\n  team: {states: parcelLifecycle}\n", "use an enum"),
        ('extend: Webhook\nfields:\n  team: {type: string, calculated: "{url}"}\n', "drop calculated"),
        ("extend: Webhook\nfields:\n  team: {type: string, minimum: 1}\n", "example.yaml:3:24: error[SPEC041]"),
        ("extend: Webhook\nfields:\n  team: {reference: Contry}\n", 'unknown record type "Contry"'),
        ("extend: Webhook\nfields: {team: string}\nindexes: [[tem]]\n", "example.yaml:3:12: error[SPEC034]"),
        ("extend: SpentToken\nfields:\n  team: string\n", "no caller knows records of SpentToken"),
        ("extend: Webhok\nfields:\n  team: string\n", 'unknown record type "Webhok"; did you mean "Webhook"?'),
        ("extend: Country\nfields:\n  team: string\n", "Country is a record of this project"),
        ("extend: Webhook\nendpoints: standard\nfields:\n  team: string\n", 'SPEC012] unknown key "endpoints"'),
        ("extend: Webhook\nroles: [user]\nfields:\n  team: string\n", 'SPEC012] unknown key "roles"'),
        ("record: Webhook\nfields:\n  team: string\n", "SPEC021"),
    ],
)  # fmt: skip
def test_what_would_change_the_service_is_refused(whole: Whole, text: str, says: str) -> None:
    with pytest.raises(ProblemList) as found:
        whole.model({"specs/logistics/example.yaml": text})
    assert says in str(found.value)


def test_two_files_for_one_record_type_are_refused(whole: Whole) -> None:
    files = {f"specs/integration/{name}.yaml": WEBHOOK.replace("team", name) for name in ("one", "two")}
    with pytest.raises(
        ProblemList, match=r"two.yaml:2:9: error\[SPEC021\] Webhook is extended in \S*one.yaml already"
    ):
        whole.model(files)


def test_a_route_of_the_service_is_reported_in_the_file_of_the_project(whole: Whole) -> None:
    text = "record: Parcel\npath: /security/users\nfields:\n  label: string\n"
    with pytest.raises(ProblemList) as found:
        whole.model({"specs/logistics/parcel.yaml": text})
    lines = str(found.value).splitlines()
    assert all(
        line.startswith("specs/logistics/parcel.yaml:2:7: error[SPEC070] the route ") for line in lines
    ), lines
    assert "of record Parcel is already that of endpoint users_create" in lines[0], lines


def test_a_wrong_field_hides_no_other(whole: Whole) -> None:
    fields = "  team: sting\n  depot: {typ: string}\n  label: {type: string, required: 1}\n"
    text = f"extend: Webhook\nfields:\n{fields}indexes:\n  - [team, depot, labl]\n"
    found = [line.split(": ")[0] for line in whole.problems({"specs/integration/webhook.yaml": text})]
    assert found == [f"specs/integration/webhook.yaml:{at}" for at in ("3:9", "4:11", "5:35", "7:19")]
