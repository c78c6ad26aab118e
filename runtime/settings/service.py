"""The service itself: where it is reached, its store, its log."""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, SecretStr

from runtime.settings.checks import (
    check_address,
    check_networks,
    check_origins,
    check_prefix,
    check_realm,
    parse_networks,
    split_items,
)
from runtime.settings.row import Rows, row

Documentation: TypeAlias = Literal["public", "sign-in", "off"]


class ServiceSettings(Rows):
    """The service itself: where it is reached, its store, its log."""

    app: str = row("service.app", "generated.app:create", "The application factory, module:function")
    seams: str | None = row("service.seams", None, "The Seams value of the application, module:name")
    base_url: Annotated[str, AfterValidator(check_address)] = row(
        "service.base-url", "http://127.0.0.1:8080", "Where callers reach the service"
    )
    root_path: Annotated[str, AfterValidator(check_prefix)] = row(
        "service.root-path", "", "Prefix under which a proxy mounts the service"
    )
    documentation: Documentation = row(
        "service.documentation", "public", "Who may read /docs and /openapi.json: public, sign-in or off"
    )
    trusted_proxies: Annotated[str, AfterValidator(check_networks)] = row(
        "service.trusted-proxies",
        "",
        "Networks of proxies that are believed about callers' addresses, comma-separated",
    )
    cors_origins: Annotated[str, AfterValidator(check_origins)] = row(
        "http.cors-origins",
        "",
        "Origins of pages that may read answers, comma-separated, as in https://app.example; * is any",
    )
    compression: Literal["off", "gzip"] = row(
        "http.compression", "off", "gzip: compress JSON and CSV above 1 KiB for callers that accept it"
    )
    default_realm: Annotated[str, AfterValidator(check_realm)] = row(
        "service.default-realm", "main", "Realm (database) of calls that name none"
    )
    environment: Literal["development", "production"] = row(
        "service.environment",
        "production",
        "development makes keys and indexes at start; production expects them",
    )
    seed_new_tenants: bool = row(
        "service.seed-new-tenants",
        False,
        "Plant the seeds for a tenant that has had none when a user of it is created",
    )
    data_folder: Path = row("service.data-folder", Path(".data"), "Keys and the embedded database")
    keep_groups_seconds: Annotated[int, Field(ge=0, le=10 * 365 * 86400)] = row(
        "completion.keep-seconds",
        0,
        "How long COMPLETE task groups that nobody writes are stored, with their tasks; 0: for good",
    )
    change_streams: bool = row(
        "service.change-streams", True, "Workers report changes to each other at once; else caches only age"
    )
    mongodb_uri: SecretStr | None = row(
        "mongodb.uri", None, "A MongoDB replica set or sharded cluster; unset: the embedded one"
    )
    embedded_in_production: bool = row(
        "mongodb.embedded-in-production", False, "Let the embedded MongoDB serve in production"
    )
    mongodb_timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = row(
        "mongodb.timeout-ms", 5000, "Time limit of one store command, retries included"
    )
    mongodb_pool_size: Annotated[int, Field(ge=1, le=1000)] = row(
        "mongodb.pool-size", 64, "Connections of one worker to one server"
    )
    mongodb_lane: bool = row(
        "mongodb.lane", True, "Send store commands without most of the driver's work; false: all through it"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = row("log.level", "INFO", "Least level logged")
    log_format: Literal["auto", "json", "console"] = row(
        "log.format", "auto", "json lines, or console for people; auto is console on a terminal only"
    )

    @property
    def trusted_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        return parse_networks(self.trusted_proxies)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins of ``http.cors-origins``."""
        return split_items(self.cors_origins)

    @property
    def is_https(self) -> bool:
        """Whether callers reach the service by HTTPS."""
        return self.base_url.lower().startswith("https://")
