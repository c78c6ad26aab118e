"""Single sign-on: the browsers in which users are signed in."""

from runtime.oauth.sign_on.ending import end_sign_on
from runtime.oauth.sign_on.sign_ons import SignOns

__all__ = ["SignOns", "end_sign_on"]
