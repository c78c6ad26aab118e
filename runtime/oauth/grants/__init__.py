"""The grants of the token endpoint: one module with one function each."""

from runtime.oauth.grants.authorization_code import grant_authorization_code
from runtime.oauth.grants.client_credentials import grant_client_credentials
from runtime.oauth.grants.issued import Issued
from runtime.oauth.grants.refresh_token import grant_refresh_token

__all__ = ["Issued", "grant_authorization_code", "grant_client_credentials", "grant_refresh_token"]
