"""The pages of the authorization server, for people: log in, consent, a new password, logout, errors."""

from runtime.oauth.pages.pages import (
    PAGE_HEADERS,
    change_page,
    check_templates,
    consent_page,
    error_page,
    logged_out_page,
    login_page,
    logout_page,
)

__all__ = [
    "PAGE_HEADERS", "change_page", "check_templates", "consent_page", "error_page", "logged_out_page",
    "login_page", "logout_page",
]  # fmt: skip
