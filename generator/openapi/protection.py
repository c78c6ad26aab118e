"""Which tokens an operation takes: security schemes, and what each operation requires of a token.

The URLs of the flows are relative to the server of the document (OpenAPI 3.1 section 4.6).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from generator.model import Endpoint, Model, Parameter, Record
from generator.openapi.oauth import CLIENT, CLIENT_SCHEME
from generator.openapi.shared import Schema
from generator.operations import StandardOperation
from runtime.permissions.scope_texts import describe_scope
from runtime.permissions.token_scopes import OPENID_SCOPES, known_scopes, name_scope

_BEARER_SCHEME: Final = "bearerAuth"
_USERS_SCHEME: Final = "oauth2"
_PROGRAMS_SCHEME: Final = "oauth2Client"
_AUTHORIZE, _TOKEN = "/oauth/authorize", "/oauth/token"
_BEARER: Schema = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "The access token from `/security/login`.",
}
_SCOPES: Final = (
    " A token with scopes about records does what they name and nothing else; `records:read` and "
    "`records:write` stand for those of all areas but `security`."
)
_DESCRIPTIONS: Final = {
    _USERS_SCHEME: "An access token that an application got for a user who signed in." + _SCOPES,
    _PROGRAMS_SCHEME: "An access token that a program got for itself, as an OAuth client." + _SCOPES,
}
_IMPORT: Final = "import"
_PROFILES: Final = {"importProfileSession": ("integration:read",)}


@dataclass(frozen=True, slots=True)
class Protection:
    """The security schemes of a service.

    ``flows``: those of OAuth that it serves, by scheme. Each has a scheme of its own, since some generators
    of clients write one with two flows twice. ``built``: requirements by scopes, which operations share.
    """

    flows: Mapping[str, Schema]
    takes_clients: bool
    built: dict[tuple[str, ...], list[Schema]] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Model) -> "Protection":
        """Find the schemes that the routes of a model take."""
        paths = {one.path for one in model.endpoints}
        areas = {one.area for one in model.records}
        areas |= {one.area for one in model.endpoints if not one.records_decide}
        scopes = {one: _sentence(describe_scope(one)) for one in known_scopes(areas)}
        flows: dict[str, Schema] = {}
        if _TOKEN in paths and _AUTHORIZE in paths:
            urls = {"authorizationUrl": _AUTHORIZE, "tokenUrl": _TOKEN, "refreshUrl": _TOKEN}
            flows[_USERS_SCHEME] = {"authorizationCode": {**urls, "scopes": scopes}}
        if _TOKEN in paths:
            own = {one: text for one, text in scopes.items() if one not in OPENID_SCOPES}
            flows[_PROGRAMS_SCHEME] = {"clientCredentials": {"tokenUrl": _TOKEN, "scopes": own}}
        return cls(flows, any(one.oauth == "form" for one in model.endpoints))

    @property
    def schemes(self) -> Schema:
        """The components of the document."""
        schemes = {_BEARER_SCHEME: _BEARER}
        if self.takes_clients:
            schemes[CLIENT_SCHEME] = CLIENT
        for name, flows in self.flows.items():
            schemes[name] = {"type": "oauth2", "description": _DESCRIPTIONS[name], "flows": flows}
        return schemes

    @property
    def usual(self) -> list[Schema]:
        """What is required of operations that state nothing else."""
        return self._require()

    def of_record(self, record: Record, row: StandardOperation) -> Schema:
        """State what a standard operation requires."""
        needed = [name_scope(record.area, row.action)]
        if row.key.startswith(_IMPORT):
            needed = [name_scope(record.area, "VIEW"), name_scope(record.area, "UPDATE")]
        return self._state([*needed, *_PROFILES.get(row.key, ())])

    def of_endpoint(self, endpoint: Endpoint) -> Schema:
        """State what a hand-written endpoint requires.

        Public endpoints need no token; one that reads the header ``Authorization`` takes one all the same.
        OpenAPI ignores a parameter of that name, so it is written as the security scheme that it is. Routes
        of OAuth that a client authenticates at take its secret there.
        """
        scope = name_scope(endpoint.area, endpoint.action)
        if not endpoint.public:
            return {} if endpoint.records_decide else self._state([scope])
        if endpoint.oauth == "form" and _takes_client(endpoint):
            return {"security": [{}, {CLIENT_SCHEME: []}]}
        if not any(map(is_token, endpoint.parameters)):
            return {"security": []}
        if endpoint.oauth == "json":
            return {"security": [{}, {_BEARER_SCHEME: []}]}
        return {"security": [{}, *self._require("openid" if endpoint.oauth else scope)]}

    def _state(self, scopes: list[str]) -> Schema:
        return {"security": self._require(*scopes)} if self.flows else {}

    def _require(self, *scopes: str) -> list[Schema]:
        if scopes not in self.built:
            self.built[scopes] = self._build_requirement(scopes)
        return self.built[scopes]

    def _build_requirement(self, scopes: tuple[str, ...]) -> list[Schema]:
        schemes = [
            name
            for name, flows in self.flows.items()
            if all(flow["scopes"].keys() >= {*scopes} for flow in flows.values())
        ]
        # Some generators send the token as the last one says, and a token of OAuth without its word Bearer.
        return [*({name: [*scopes]} for name in schemes), {_BEARER_SCHEME: []}]


def is_token(parameter: Parameter) -> bool:
    """Return whether a parameter is the header that tokens are sent in."""
    return parameter.location == "header" and parameter.name.lower() == "authorization"


def _takes_client(endpoint: Endpoint) -> bool:
    return endpoint.request is not None and any(one.name == "client_id" for one in endpoint.request.fields)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
