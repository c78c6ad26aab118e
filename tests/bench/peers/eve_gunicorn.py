"""Eve under gunicorn, as its documentation tells: settings, a token class, a user-restricted resource.

``auth_field`` binds every query and insert to the tenant, ``data_relation`` checks references, a hook
stamps the audit. Counting is off (OPTIMIZE_PAGINATION_FOR_SPEED), since nobody else in the bench counts.
A PATCH needs no If-Match (ENFORCE_IF_MATCH), and leaves alone what it does not name (NORMALIZE_ON_PATCH).
Writes answer with the record, as everybody's do (BANDWIDTH_SAVER), and are acknowledged by a majority
(MONGO_WRITE_CONCERN).
Files are pages of CSV (``eve_csv``). ``shipments-unchecked`` is the same without the check of references.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt
from bson import ObjectId
from eve import Eve
from eve.auth import TokenAuth

PUBLIC_KEY = Path(os.environ["BENCH_PUBLIC_KEY"]).read_text()
ISSUER = AUDIENCE = os.environ["BENCH_ISSUER"]


class BearerAuth(TokenAuth):
    """A bearer token, checked; its tenant is what ``auth_field`` is compared with."""

    def check_auth(self, token: str, allowed_roles: Any, resource: str, method: str) -> bool:
        """Whether the token is good."""
        try:
            claims = jwt.decode(token, PUBLIC_KEY, algorithms=["RS256"], audience=AUDIENCE, issuer=ISSUER)
            self.set_request_auth_value(claims["tenantId"])
            self.set_user_or_token(claims["sub"])
        except (jwt.InvalidTokenError, KeyError):
            return False
        return True


def reference(resource: str, checked: bool, required: bool = True) -> dict[str, Any]:
    """A pointer to another record, with copies of its names."""
    pointer: dict[str, Any] = {"type": "objectid", "required": True}
    if checked:
        pointer["data_relation"] = {"resource": resource, "field": "_id", "embeddable": True}
    names = ("entityType", "entityRefName", "entityDisplayName")
    schema = {"entityId": pointer, **{name: {"type": "string"} for name in names}}
    return {"type": "dict", "required": required, "schema": schema}


def shipments(checked: bool) -> dict[str, Any]:
    """The resource; both variants are one collection."""
    states = ["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"]
    line = {
        "sku": {"type": "string", "required": True, "regex": "^[A-Z0-9-]+$"},
        "quantity": {"type": "integer", "required": True, "min": 1},
    }
    server_kept = {"type": "dict", "readonly": True}
    return {
        "datasource": {"source": "shipments"},
        "schema": {
            "refName": {"type": "string"},
            "displayName": {"type": "string"},
            "activeStatus": {"type": "string", "default": "ACTIVE"},
            "version": {"type": "integer", "readonly": True},
            "dataDomain": server_kept,
            "auditInfo": server_kept,
            "status": {"type": "string", "allowed": states, "default": "BOOKED"},
            "customer": reference("customers", checked),
            "carrier": reference("carriers", checked, required=False),
            "origin": reference("airports", checked),
            "destination": reference("airports", checked),
            "weightKg": {"type": "decimal"},
            "departsAt": {"type": "datetime"},
            "arrivesAt": {"type": "datetime"},
            "notes": {"type": "string", "maxlength": 2000},
            "lines": {"type": "list", "maxlength": 500, "schema": {"type": "dict", "schema": line}},
        },
    }


def named() -> dict[str, Any]:
    """What shipments refer to."""
    return {"schema": {"refName": {"type": "string"}, "displayName": {"type": "string"}}}


def on_insert(resource: str, documents: list[dict[str, Any]]) -> None:
    """Server-kept members, by the documented hook."""
    user = app.auth.get_user_or_token()
    now = datetime.now(UTC).replace(microsecond=0)
    for document in documents:
        key = document.setdefault("_id", ObjectId())
        document.setdefault("refName", str(key))
        document.setdefault("displayName", str(key))
        document["version"] = 1
        document["dataDomain"] = {"ownerId": user, "dataSegment": 0}
        document["auditInfo"] = {
            "createdBy": user,
            "createdDate": now,
            "lastUpdatedBy": user,
            "lastUpdatedDate": now,
        }


def on_update(resource: str, updates: dict[str, Any], original: dict[str, Any]) -> None:
    """The same of a record that changes."""
    now = datetime.now(UTC).replace(microsecond=0)
    stamp = {"lastUpdatedBy": app.auth.get_user_or_token(), "lastUpdatedDate": now}
    updates["version"] = original["version"] + 1
    updates["auditInfo"] = original["auditInfo"] | stamp


app = Eve(
    auth=BearerAuth,
    settings={
        "MONGO_URI": os.environ["BENCH_MONGODB"],
        "MONGO_DBNAME": os.environ["BENCH_DATABASE"],
        "MONGO_WRITE_CONCERN": {"w": "majority"},
        "AUTH_FIELD": "tenantId",
        "RESOURCE_METHODS": ["GET", "POST"],
        "ITEM_METHODS": ["GET", "PATCH"],
        "ENFORCE_IF_MATCH": False,
        "NORMALIZE_ON_PATCH": False,
        "BANDWIDTH_SAVER": False,
        "RENDERERS": ["eve.render.JSONRenderer", "eve_csv.CSVRenderer"],
        "DATE_FORMAT": "%Y-%m-%dT%H:%M:%S.%fZ",
        "PAGINATION_LIMIT": 10_000,
        "PAGINATION_DEFAULT": 50,
        "OPTIMIZE_PAGINATION_FOR_SPEED": True,
        "DOMAIN": {
            "airports": named(),
            "carriers": named(),
            "customers": named(),
            "shipments": shipments(checked=True),
            "shipments-unchecked": shipments(checked=False),
        },
    },
)
app.on_insert += on_insert
app.on_update += on_update
