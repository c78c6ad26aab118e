"""Every setting, one row each: name, type, default, help. Read once, then frozen.

Sources, first wins: environment (``mongodb.uri`` → ``MONGODB_URI``: upper case, dots and dashes become
underscores), then one TOML file named by ``SERVICE_CONFIG``, then the ``settings.toml`` that the generator
writes next to the application. ``python -m runtime.settings`` prints the effective values, secrets masked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from runtime.errors import Misconfigured
from runtime.setting_checks import check_hosts, check_networks, check_origins, parse_networks, split_items
from runtime.setting_families import AGENT_TENANT, FAMILIES, MCP_CLIENT, Groups, group_families, print_groups
from runtime.setting_sources import read_environment, read_specified

_LEAST_TOKEN_CHARACTERS = 32


def _row(name: str, default: Any, text: str) -> Any:
    return Field(default=default, validation_alias=name, description=text)


Documentation: TypeAlias = Literal["public", "sign-in", "off"]


class Settings(BaseModel):
    """The settings of one service; attribute names are Python's, aliases are the documented names."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    app: str = _row("service.app", "generated.app:create", "The application factory, module:function")
    seams: str | None = _row("service.seams", None, "The Seams value of the application, module:name")
    base_url: str = _row("service.base-url", "http://127.0.0.1:8080", "Where callers reach the service")
    root_path: str = _row("service.root-path", "", "Prefix under which a proxy mounts the service")
    documentation: Documentation = _row(
        "service.documentation", "public", "Who may read /docs and /openapi.json: public, sign-in or off"
    )
    trusted_proxies: Annotated[str, AfterValidator(check_networks)] = _row(
        "service.trusted-proxies",
        "",
        "Networks of proxies that are believed about callers' addresses, comma-separated",
    )
    cors_origins: Annotated[str, AfterValidator(check_origins)] = _row(
        "http.cors-origins",
        "",
        "Origins of pages that may read answers, comma-separated, as in https://app.example; * is any",
    )
    compression: Literal["off", "gzip"] = _row(
        "http.compression", "off", "gzip: compress JSON and CSV above 1 KiB for callers that accept it"
    )
    default_realm: str = _row("service.default-realm", "main", "Realm (database) of calls that name none")
    environment: Literal["development", "production"] = _row(
        "service.environment",
        "production",
        "development makes keys and indexes at start; production expects them",
    )
    seed_new_tenants: bool = _row(
        "service.seed-new-tenants",
        False,
        "Plant the seeds for a tenant that has had none when a user of it is created",
    )
    data_folder: Path = _row("service.data-folder", Path(".data"), "Keys and the embedded database")
    change_streams: bool = _row(
        "service.change-streams", True, "Workers report changes to each other at once; else caches only age"
    )

    mongodb_uri: SecretStr | None = _row(
        "mongodb.uri", None, "A MongoDB replica set or sharded cluster; unset: the embedded one"
    )
    embedded_in_production: bool = _row(
        "mongodb.embedded-in-production", False, "Let the embedded MongoDB serve in production"
    )
    mongodb_timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = _row(
        "mongodb.timeout-ms", 5000, "Time limit of one store command, retries included"
    )
    mongodb_pool_size: Annotated[int, Field(ge=1, le=1000)] = _row(
        "mongodb.pool-size", 64, "Connections of one worker to one server"
    )

    page_size: Annotated[int, Field(ge=1)] = _row("limits.page-size", 50, "Rows of a list by default")
    max_page_size: Annotated[int, Field(ge=1, le=1000)] = _row(
        "limits.max-page-size",
        1000,
        "Most rows of a list; a page of large records ends at 16 MB, `nextCursor` leads on",
    )
    max_body_bytes: Annotated[int, Field(ge=1024)] = _row(
        "limits.max-body-bytes", 8 * 2**20, "Largest request body that holds records"
    )
    max_body_values: Annotated[int, Field(ge=100)] = _row(
        "limits.max-body-values",
        20_000,
        "Most values of such a body (members, list items); of a bulk body five times as many",
    )
    max_small_body_bytes: Annotated[int, Field(ge=1024)] = _row(
        "limits.max-small-body-bytes", 64 * 2**10, "Largest body of all other requests, such as a login"
    )
    max_upload_bytes: Annotated[int, Field(ge=1024)] = _row(
        "limits.max-upload-bytes", 256 * 2**20, "Largest uploaded file"
    )
    max_bulk_operations: Annotated[int, Field(ge=1)] = _row(
        "limits.max-bulk-operations", 1000, "Most operations of one bulk call"
    )
    expand_depth: Annotated[int, Field(ge=1, le=8)] = _row(
        "limits.expand-depth", 4, "Most references that a path of `expand` follows one after the other"
    )
    expanded_records: Annotated[int, Field(ge=1, le=100_000)] = _row(
        "limits.expanded-records", 10_000, "Most references that one answer replaces by records"
    )
    gateway_executes: bool = _row(
        "feature.queryGateway.execution.enabled",
        False,
        "Whether the query gateway executes queries with expand(…); else it checks them and answers 501",
    )
    max_deletions: Annotated[int, Field(ge=1, le=2000)] = _row(
        "service.queryGateway.deleteMany.maxMatches",
        2000,
        "Most records that one request of the query gateway deletes",
    )
    requests_in_store: Annotated[int, Field(ge=1, le=1000)] = _row(
        "limits.requests-in-store",
        48,
        "Most requests of one worker that use the store at once; fewer while it is slow",
    )
    queue_ms: Annotated[int, Field(ge=0, le=60_000)] = _row(
        "limits.queue-ms", 1000, "How long a request waits for its turn before it is refused (503)"
    )
    transfers: Annotated[int, Field(ge=1)] = _row(
        "limits.transfers", 64, "Most imports, exports and progress streams of one worker at once"
    )
    transfers_per_user: Annotated[int, Field(ge=1)] = _row(
        "limits.transfers-per-user", 16, "The same for one user"
    )
    import_lease_seconds: Annotated[int, Field(ge=1, le=60)] = _row(
        "limits.import-lease-seconds",
        30,
        "How long an import may show no sign of the worker that reads its file, until it is discarded",
    )

    head_bytes: Annotated[int, Field(ge=4096, le=2**20)] = _row(
        "limits.head-bytes", 65536, "Most bytes of a URL, its headers and trailers together"
    )
    head_seconds: Annotated[float, Field(gt=0, le=600)] = _row(
        "limits.head-seconds", 10.0, "Longest time in which a request head arrives"
    )
    body_rate: Annotated[int, Field(ge=1)] = _row(
        "limits.body-bytes-per-second", 1024, "Least rate at which a request body arrives"
    )
    read_rate: Annotated[int, Field(ge=1)] = _row(
        "limits.read-bytes-per-second", 4096, "Least rate at which an answer is read, over half a minute"
    )
    connections: Annotated[int, Field(ge=1)] = _row(
        "limits.connections", 1000, "Most connections of one worker; more are answered 503"
    )
    idle_seconds: Annotated[int, Field(ge=1, le=3600)] = _row(
        "limits.idle-seconds", 75, "How long a connection stays open between two requests"
    )

    issuer: str | None = _row("mp.jwt.verify.issuer", None, "Issuer of tokens; unset: service.base-url")
    public_key_location: Path | None = _row(
        "mp.jwt.verify.publickey.location", None, "RSA public key (PEM); unset: next to the private key"
    )
    private_key_location: Path | None = _row(
        "auth.jwt.privatekey.location", None, "RSA private key (PEM); unset: keys/ in the data folder"
    )
    jwt_secret: SecretStr | None = _row(
        "auth.jwt.secret", None, "Signs short-lived one-purpose tokens; unset in development: made at start"
    )
    key_publish_seconds: Annotated[int, Field(ge=0, le=7 * 86400)] = _row(
        "auth.jwt.publish-seconds", 300, "How long a new key is in the key set before it signs"
    )
    access_token_seconds: Annotated[int, Field(ge=30)] = _row(
        "auth.access-token-seconds", 3600, "Lifetime of an access token"
    )
    refresh_token_seconds: Annotated[int, Field(ge=60)] = _row(
        "auth.refresh-token-seconds", 14 * 86400, "Lifetime of a refresh token"
    )
    session_seconds: Annotated[int, Field(ge=60)] = _row(
        "auth.session-seconds", 90 * 86400, "How long refreshing may go on before the password is asked again"
    )
    sign_on_idle_seconds: Annotated[int, Field(ge=60)] = _row(
        "auth.sign-on-idle-seconds", 8 * 3600, "How long a browser stays signed in without being used"
    )
    sign_on_seconds: Annotated[int, Field(ge=60)] = _row(
        "auth.sign-on-seconds", 86400, "How long a browser stays signed in before the password is asked again"
    )
    refresh_grace_seconds: Annotated[int, Field(ge=0, le=60)] = _row(
        "auth.refresh-grace-seconds", 0, "How long a rotated refresh token is forgiven"
    )
    login_failures: Annotated[int, Field(ge=1)] = _row(
        "auth.login-failures", 10, "Failed logins per user and per address before 429"
    )
    login_window_seconds: Annotated[int, Field(ge=1)] = _row(
        "auth.login-window-seconds", 600, "The window in which failed logins count"
    )
    credential_cache_seconds: Annotated[float, Field(ge=0, le=10)] = _row(
        "auth.credential-cache-seconds",
        10,
        "How long a credential, session or realm is believed; 1 s at most without change streams",
    )
    rule_cache_seconds: Annotated[float, Field(ge=0, le=10)] = _row(
        "auth.rule-cache-seconds", 10, "How long permission rules that were read are believed"
    )
    decision_seconds: Annotated[int, Field(ge=60, le=90 * 86400)] = _row(
        "auth.decision-seconds", 86400, "How long a refusal is kept, to be explained by its decisionId"
    )
    bcrypt_cost: Annotated[int, Field(ge=4, le=16)] = _row("auth.bcrypt-cost", 12, "Cost of password hashes")
    password_min_length: Annotated[int, Field(ge=8, le=64)] = _row(
        "auth.password-min-length", 12, "Minimum length of a new password, not counting blanks"
    )
    service_token_max_days: Annotated[int, Field(ge=1, le=3650)] = _row(
        "auth.service-token-max-days", 365, "Longest lifetime of a service token"
    )

    registration: Literal["off", "token", "open"] = _row(
        "oauth.registration", "off", "Who may register a client at /oauth/register: off, token or open"
    )
    registration_token: SecretStr | None = _row(
        "oauth.registration-token",
        None,
        "Initial access token of clients that register; 32 characters at least",
    )
    registrations_per_hour: Annotated[int, Field(ge=1, le=500)] = _row(
        "oauth.registrations-per-hour", 20, "Clients that may register from one address in an hour"
    )

    client_document_hosts: Annotated[str, AfterValidator(check_hosts)] = _row(
        "oauth.client-document-hosts",
        "",
        "Hosts whose documents describe clients by URL, comma-separated, as in app.example; empty: off",
    )

    agent_tenants: Groups = _row(AGENT_TENANT.alias, {}, "What tools may do in a realm, each of its own")
    mcp_traffic_logging: Literal["NONE", "ALL"] = _row(
        "mcp.server.traffic-logging", "NONE", "ALL: log the messages of MCP clients and their answers"
    )
    mcp_read_only: bool = _row(
        "mcp.server.read-only", False, "Whether MCP clients may only use tools that read"
    )
    mcp_max_answer_bytes: Annotated[int, Field(ge=4096, le=16 * 2**20)] = _row(
        "mcp.server.max-answer-bytes", 102_400, "Most bytes of an answer of a tool to an MCP client"
    )
    mcp_client: Groups = _row(MCP_CLIENT.alias, {}, "MCP servers elsewhere, each with settings of its own")
    mcp_exposes_resources: bool = _row(
        "mcp.client.expose-resources-as-tools",
        False,
        "Whether the resources of MCP servers elsewhere are offered as two tools",
    )

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = _row("log.level", "INFO", "Least level logged")
    log_format: Literal["auto", "json", "console"] = _row(
        "log.format", "auto", "json lines, or console for people; auto is console on a terminal only"
    )

    @model_validator(mode="after")
    def _require_registration_token(self) -> Self:
        token = self.registration_token.get_secret_value() if self.registration_token else ""
        if self.registration == "token" and len(token) < _LEAST_TOKEN_CHARACTERS:
            raise ValueError(
                f"oauth.registration-token must have {_LEAST_TOKEN_CHARACTERS} characters at least"
            )
        return self

    @property
    def trusted_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The networks of ``service.trusted-proxies``."""
        return parse_networks(self.trusted_proxies)

    @property
    def document_hosts(self) -> tuple[str, ...]:
        """The hosts of ``oauth.client-document-hosts``."""
        return split_items(self.client_document_hosts)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins of ``http.cors-origins``."""
        return split_items(self.cors_origins)

    @property
    def is_https(self) -> bool:
        """Whether callers reach the service by HTTPS."""
        return self.base_url.lower().startswith("https://")

    @property
    def token_issuer(self) -> str:
        """The ``iss`` of every token, spelled exactly as configured."""
        return self.issuer or self.base_url

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None, /, **overrides: Any) -> Settings:
        """Read environment, file and specifications; ``overrides`` are by attribute name and win.

        Raises ``Misconfigured`` naming every setting that cannot be read.
        """
        names = {attribute: str(row.validation_alias) for attribute, row in cls.model_fields.items()}
        environ = os.environ if environment is None else environment
        values = read_environment(environ, names.values())
        values |= {names[attribute]: value for attribute, value in overrides.items()}
        for family in FAMILIES:
            values |= family.read_environment(environ)
        app = str(values.get("service.app", cls.model_fields["app"].default))
        values = group_families(read_specified(app) | values, FAMILIES)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise Misconfigured(f"settings: {faults}", cause=error) from None

    def printable(self) -> str:
        """One ``name = value`` line a setting, secrets masked, in the order of this file."""
        families = {family.alias: family for family in FAMILIES}
        lines = []
        for attribute, row in type(self).model_fields.items():
            name, value = str(row.validation_alias), getattr(self, attribute)
            if name in families and value:
                lines += print_groups(families[name], value)
            else:
                lines.append(f"{name} = {value}")
        return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(Settings.read().printable() + "\n")
