"""Tokens, passwords, and the clients that sign users in."""

from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from runtime.settings.checks import check_hosts, split_items
from runtime.settings.row import Rows, row

_LEAST_TOKEN_CHARACTERS: Final = 32
_MOST_SECONDS: Final = 10 * 365 * 86400


class SignInSettings(Rows):
    """Tokens, passwords, and the clients that sign users in."""

    issuer: str | None = row("mp.jwt.verify.issuer", None, "Issuer of tokens; unset: service.base-url")
    public_key_location: Path | None = row(
        "mp.jwt.verify.publickey.location", None, "RSA public key (PEM); unset: next to the private key"
    )
    private_key_location: Path | None = row(
        "auth.jwt.privatekey.location", None, "RSA private key (PEM); unset: keys/ in the data folder"
    )
    jwt_secret: SecretStr | None = row(
        "auth.jwt.secret",
        None,
        "Signs short-lived one-purpose tokens; unset in development: created at start",
    )
    key_publish_seconds: Annotated[int, Field(ge=0, le=7 * 86400)] = row(
        "auth.jwt.publish-seconds", 300, "How long a new key is in the key set before it signs"
    )
    access_token_seconds: Annotated[int, Field(ge=30, le=_MOST_SECONDS)] = row(
        "auth.access-token-seconds", 3600, "Lifetime of an access token"
    )
    refresh_token_seconds: Annotated[int, Field(ge=60, le=_MOST_SECONDS)] = row(
        "auth.refresh-token-seconds", 14 * 86400, "Lifetime of a refresh token"
    )
    session_seconds: Annotated[int, Field(ge=60, le=_MOST_SECONDS)] = row(
        "auth.session-seconds", 90 * 86400, "How long refreshing may go on before the password is asked again"
    )
    sign_on_idle_seconds: Annotated[int, Field(ge=60, le=_MOST_SECONDS)] = row(
        "auth.sign-on-idle-seconds", 8 * 3600, "How long a browser stays signed in without being used"
    )
    sign_on_seconds: Annotated[int, Field(ge=60, le=_MOST_SECONDS)] = row(
        "auth.sign-on-seconds", 86400, "How long a browser stays signed in before the password is asked again"
    )
    refresh_grace_seconds: Annotated[int, Field(ge=0, le=60)] = row(
        "auth.refresh-grace-seconds", 0, "How long a rotated refresh token is forgiven"
    )
    login_failures: Annotated[int, Field(ge=1)] = row(
        "auth.login-failures", 10, "Failed logins per user and per address before 429"
    )
    login_window_seconds: Annotated[int, Field(ge=1, le=_MOST_SECONDS)] = row(
        "auth.login-window-seconds", 600, "The window in which failed logins count"
    )
    credential_cache_seconds: Annotated[float, Field(ge=0, le=10)] = row(
        "auth.credential-cache-seconds",
        10,
        "How long a credential, session or realm is believed; 1 s at most without change streams",
    )
    rule_cache_seconds: Annotated[float, Field(ge=0, le=10)] = row(
        "auth.rule-cache-seconds", 10, "How long permission rules that were read are believed"
    )
    decision_seconds: Annotated[int, Field(ge=60, le=90 * 86400)] = row(
        "auth.decision-seconds", 86400, "How long a refusal is stored, to be explained by its decisionId"
    )
    bcrypt_cost: Annotated[int, Field(ge=4, le=16)] = row("auth.bcrypt-cost", 12, "Cost of password hashes")
    password_min_length: Annotated[int, Field(ge=8, le=64)] = row(
        "auth.password-min-length", 12, "Minimum length of a new password, not counting blanks"
    )
    service_token_max_days: Annotated[int, Field(ge=1, le=3650)] = row(
        "auth.service-token-max-days", 365, "Longest lifetime of a service token"
    )
    registration: Literal["off", "token", "open"] = row(
        "oauth.registration", "off", "Who may register a client at /oauth/register: off, token or open"
    )
    registration_token: SecretStr | None = row(
        "oauth.registration-token",
        None,
        "Initial access token of clients that register; 32 characters at least",
    )
    registrations_per_hour: Annotated[int, Field(ge=1, le=500)] = row(
        "oauth.registrations-per-hour", 20, "Clients that may register from one address in an hour"
    )
    client_document_hosts: Annotated[str, AfterValidator(check_hosts)] = row(
        "oauth.client-document-hosts",
        "",
        "Hosts whose documents describe clients by URL, comma-separated, as in app.example; empty: off",
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
    def document_hosts(self) -> tuple[str, ...]:
        """The hosts of ``oauth.client-document-hosts``."""
        return split_items(self.client_document_hosts)
