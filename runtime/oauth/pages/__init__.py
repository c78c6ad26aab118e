"""The pages of the authorization server, for people: log in, consent, a new password, logout, errors."""

from runtime.oauth.pages.pages import (
    PAGE_HEADERS,
    change_page,
    consent_page,
    error_page,
    logged_out_page,
    login_page,
    logout_page,
)
from runtime.oauth.pages.templates import require_templates

__all__ = [
    "PAGE_HEADERS", "change_page", "consent_page", "error_page", "logged_out_page", "login_page",
    "logout_page", "require_templates",
]  # fmt: skip
