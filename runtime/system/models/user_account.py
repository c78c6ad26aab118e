"""UserAccount, from runtime/system/specs/security/user_account.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.domain_context import DomainContext


class UserAccount(Strict):
    """A user account."""

    user_id: str
    subject: str
    auth_provider_name: str
    roles: list[str]
    domain_context: DomainContext
    disabled: bool
    force_change_password: bool
    email_of_responsible_party: str | None = None
    description: str | None = None
    realms: list[str] | None = None
    realm_roles: dict[str, list[str]] | None = None
    realm_reg_ex: str | None = None
    area2_realm_overrides: dict[str, str] | None = None
    impersonation_enabled: bool
    impersonate_filter_script: str | None = None
