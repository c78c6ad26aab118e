"""Further fields of a record type of the service; copied into the tests of a project."""

from typing import Any

import pytest
from recordsmith.runtime.testing import ServiceUnderTest

CLIENTS = "/security/oauth/clients"
MERGE = {"Content-Type": "application/merge-patch+json"}
ADMIN, OTHER, CLERK = "ann@acme.example", "gus@globex.example", "carl@acme.example"


@pytest.fixture(scope="module")
def client(service: ServiceUnderTest) -> Any:
    """A client that has the further fields."""
    sent = {
        "clientId": "nightly",
        "allowedGrantTypes": ["client_credentials"],
        "team": "stock",
        "costCenter": "C-7",
    }
    answer = service.sign_in(ADMIN).post(CLIENTS, json=sent)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_further_fields_are_those_of_any_record(service: ServiceUnderTest, client: Any) -> None:
    ann = service.sign_in(ADMIN)
    assert client["team"] == "stock"
    found = ann.get(f"{CLIENTS}/list", params={"filter": "team:stock", "sort": "team"})
    assert [row["clientId"] for row in found.json()["rows"]] == ["nightly"]
    patched = ann.patch(
        f"{CLIENTS}/id/{client['id']}",
        json={"team": "night shift"},
        headers=MERGE,
    )
    assert patched.json()["team"] == "night shift"
    assert ann.post(CLIENTS, json={"clientId": "x", "team": "t" * 51}).status_code == 422


def test_hidden_stays_hidden(service: ServiceUnderTest, client: Any) -> None:
    ann = service.sign_in(ADMIN)
    for path in (f"{CLIENTS}/list", f"{CLIENTS}/id/{client['id']}", f"{CLIENTS}/csv"):
        answer = ann.get(path)
        assert "C-7" not in answer.text, path
        assert "costCenter" not in answer.text, path
        assert "clientSecretHash" not in answer.text, path
    for asked in ({"filter": "costCenter:C-7"}, {"sort": "costCenter"}, {"projection": "costCenter"}):
        assert ann.get(f"{CLIENTS}/list", params=asked).json()["code"] == "field.unknown"


def test_checks_and_routes_of_the_service_hold(service: ServiceUnderTest, client: Any) -> None:
    """What the service itself does with the record neither loses the fields nor returns them."""
    ann, path = service.sign_in(ADMIN), f"{CLIENTS}/nightly"
    assert (
        ann.post(CLIENTS, json={"clientId": "y", "redirectUris": ["javascript:1"], "team": "a"}).status_code
        == 422
    )
    assert ann.post(CLIENTS, json={"clientId": "nightly", "team": "a"}).status_code == 409
    created = ann.post(f"{path}/credential", json={"roles": ["admin"]})
    assert created.status_code == 201, created.text
    secret = ann.post(f"{path}/rotate-secret", json={}).json()["clientSecret"]
    assert "C-7" not in created.text
    token = service.sign_in(None).post(
        "/oauth/token", data={"grant_type": "client_credentials"}, auth=("nightly", secret)
    )
    assert token.status_code == 200, token.text
    assert ann.get(f"{CLIENTS}/id/{client['id']}").json()["team"] == "night shift"
    assert ann.get(f"{CLIENTS}/count", params={"filter": "team:night*"}).json() == {"count": 1}


def test_nobody_else_sees_it(service: ServiceUnderTest, client: Any) -> None:
    path = f"{CLIENTS}/id/{client['id']}"
    assert service.sign_in(OTHER).get(path).status_code == 404
    assert service.sign_in(CLERK).get(path).status_code == 403
    assert service.sign_in(None).get(path).status_code == 401


def test_writes_of_the_service_leave_further_fields_alone(service: ServiceUnderTest) -> None:
    ann, path = service.sign_in(ADMIN), "/integration/completionTask"
    group = ann.post(f"{path}Group/create", json={}).json()["id"]
    task = ann.post(f"{path}/create/{group}", json={}).json()["id"]
    assert ann.patch(f"{path}/id/{task}", json={"priority": 0}, headers=MERGE).status_code == 422
    patched = ann.patch(f"{path}/id/{task}", json={"priority": 3, "vault": "V-1"}, headers=MERGE)
    done = ann.put(f"{path}/complete/{task}", params={"status": "SUCCESS"})
    read = ann.get(f"{path}/id/{task}")
    assert (read.json()["priority"], read.json()["status"]) == (3, "SUCCESS")
    assert not [answer.text for answer in (patched, done, read) if "V-1" in answer.text]


USERS = "/security/credentials"


def find_user(service: ServiceUnderTest, user_id: str) -> Any:
    found = service.sign_in(ADMIN).get(f"{USERS}/list", params={"filter": f"userId:{user_id}"}).json()
    return found["rows"][0]


def test_users_have_the_fields_that_were_added(service: ServiceUnderTest) -> None:
    ann, bea = service.sign_in(ADMIN), "bea@acme.example"
    user = {"userId": bea, "roles": ["admin"], "password": "a long one of a test"}
    created = ann.post("/security/users", json=user)
    assert created.status_code == 201, created.text
    path = f"{USERS}/id/{find_user(service, bea)['id']}"
    boss = {"entityId": find_user(service, ADMIN)["id"]}
    sent = {"department": "Returns", "badgeNumber": "B-9", "manager": boss}
    patched = ann.patch(path, json=sent, headers=MERGE)
    assert patched.status_code == 200, patched.text
    assert patched.json()["manager"]["entityId"] == boss["entityId"]
    assert "B-9" not in patched.text
    assert ann.get(f"{USERS}/count", params={"filter": "department:Returns"}).json() == {"count": 1}
    assert ann.get(f"{USERS}/list", params={"filter": "badgeNumber:B-9"}).json()["code"] == "field.unknown"
    taken = ann.patch(f"{USERS}/id/{boss['entityId']}", json={"badgeNumber": "B-9"}, headers=MERGE)
    assert (taken.status_code, taken.json()["code"]) == (409, "record.duplicate")

    disabled = ann.put(f"/security/users/userId/{bea}/disabled", json={"disabled": True})
    assert disabled.is_success, disabled.text  # written by the service, which does not know the fields
    after = ann.get(path).json()
    assert (after["department"], after["roles"], after["disabled"]) == ("Returns", ["admin"], True)


@pytest.mark.parametrize(
    "change",
    [
        {"roles": ["admin", "system"]},
        {"disabled": True},
        {"realms": ["main"]},
        {"impersonationEnabled": True, "impersonateFilterScript": "userId:*"},
        {"domainContext": {"tenantId": "globex", "defaultRealm": "main"}},
        {"passwordHash": "x"},
        {"tokenEpoch": 0},
        {"userId": "ann2@acme.example"},
        {"dataDomain": {"tenantId": "globex"}},
        {"dataDomain": {"orgRefName": "elsewhere"}},
        {"refName": "somebody"},
        {"displayName": "Somebody"},
        {"activeStatus": "ARCHIVED"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_nothing_else_of_a_user_can_be_changed_there(service: ServiceUnderTest, change: Any) -> None:
    ann = service.sign_in(ADMIN)
    path = f"{USERS}/id/{find_user(service, CLERK)['id']}"
    before = ann.get(path).json()
    answer = ann.patch(path, json={**change, "department": "Sales"}, headers=MERGE)
    after = ann.get(path).json()
    named = {*change} | {"department", "version", "auditInfo"}
    assert all(
        after.get(name) == before.get(name) for name in before.keys() | after.keys() if name not in named
    )
    assert all(after.get(name) == before.get(name) for name in change), answer.text
    assert answer.status_code in (200, 400, 403, 422), answer.text
    assert service.sign_in(CLERK).get("/security/me").status_code == 200, "the token is as good as before"


def test_users_are_neither_created_nor_removed_there(service: ServiceUnderTest) -> None:
    ann, carl = service.sign_in(ADMIN), find_user(service, CLERK)
    assert ann.post(USERS, json={"userId": "eve@acme.example"}).status_code in (404, 405)
    assert ann.delete(f"{USERS}/id/{carl['id']}").status_code == 405
    body = {"rootType": "Credential", "id": carl["id"]}
    assert ann.post("/api/query/delete", json=body).status_code in (403, 404)
    for user, status in ((OTHER, 404), (CLERK, 403), (None, 401)):
        path = f"{USERS}/id/{carl['id']}"
        assert service.sign_in(user).get(path).status_code == status
        assert (
            service.sign_in(user).patch(path, json={"department": "x"}, headers=MERGE).status_code == status
        )
