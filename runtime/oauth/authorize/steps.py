"""What comes next for an authorization request: a login, a question, a code, or an error. Pure.

OpenID Connect Core §3.1.2.1 gives ``prompt``, ``max_age`` and ``id_token_hint`` their meaning.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from runtime.oauth.authorize.request import CheckedRequest
from runtime.permissions.token_scopes import limits_of, parse

EVERYTHING: Final = "everything the user may do"
"""Among the scopes of a consent: for tokens that no scope narrows. No scope has blanks."""

THIS_SERVICE: Final = "this service"
"""Among the resources of a consent: for tokens that name no resource, which are good at every door here."""


class Step(Enum):
    """What comes next."""

    LOGIN = auto()
    CONSENT = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error that is reported to the client, by its code."""

    error: str
    description: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known when the next step is chosen.

    ``subject``: the user who is signed on in the browser, None for nobody; ``auth_time``: when they entered a
    password, in seconds since 1970 as ``now`` is. ``is_fresh``: they did so for this request.
    ``expected``: the subject of the ID token hint. ``consented``: the scopes that the user has granted to the
    client, by resource; None for a user who was never asked. ``has_decided``: the user has just granted
    what this request is for. ``is_admitted``: the user is among those whom the client is for.
    ``is_beyond_tenant``: the user has the role ``system``, or may act in other realms.
    ``is_beyond_writers``: they may do more than those who have written the client.
    """

    now: float
    subject: str | None = None
    auth_time: float = 0
    is_fresh: bool = False
    expected: str | None = None
    consented: Mapping[str, frozenset[str]] | None = None
    has_decided: bool = False
    is_admitted: bool = True
    is_beyond_tenant: bool = False
    is_beyond_writers: bool = False


def choose_step(request: CheckedRequest, situation: Situation) -> Step | Refusal:
    """Return the next step of a request."""
    step = _choose(request, situation)
    if isinstance(step, Step) and step is not Step.CODE and "none" in request.prompts:
        return _NOT_SILENT[step]
    return step


def wanted(request: CheckedRequest) -> frozenset[str]:
    """Return what a consent to the request covers: all its scopes, at all its resources, and for whom.

    A request that names fewer may be for more: without a scope about records, or without a resource. For
    those who have written the client: somebody else may write it while the page is open.
    """
    writers = f"for {' '.join(sorted(request.client.writer_roles))}"
    return frozenset({*wanted_scopes(request), *wanted_resources(request), writers})


def wanted_scopes(request: CheckedRequest) -> tuple[str, ...]:
    """Return the scopes that a consent to the request covers."""
    is_narrowed = limits_of(request.scope, request.client.scopes) is not None
    return parse(request.scope) if is_narrowed else (*parse(request.scope), EVERYTHING)


def wanted_resources(request: CheckedRequest) -> tuple[str, ...]:
    """Return the resources that a consent to the request covers."""
    return request.resources or (THIS_SERVICE,)


def _choose(request: CheckedRequest, situation: Situation) -> Step | Refusal:
    if situation.subject is None:
        return Step.LOGIN
    if situation.expected not in (None, situation.subject):
        # The client wants nobody else, so after a login there is nothing more to try.
        return Refusal("login_required", "another user has signed in") if situation.is_fresh else Step.LOGIN
    if not situation.is_admitted:
        # The same answer for any other organisation, and not before the user has chosen this account.
        refusal = Refusal("access_denied", "the client is not for the organisation of the user")
        return refusal if situation.is_fresh else Step.LOGIN
    if not situation.is_fresh and _needs_password(request, situation):
        return Step.LOGIN
    if not situation.has_decided and _needs_consent(request, situation):
        return Step.CONSENT
    return Step.CODE


def _needs_password(request: CheckedRequest, situation: Situation) -> bool:
    """Whether the client wants the user to enter a password for this request."""
    if request.prompts & {"login", "select_account"}:
        return True
    if request.max_age is None:
        return False
    return request.max_age == 0 or situation.now - situation.auth_time > request.max_age


def _needs_consent(request: CheckedRequest, situation: Situation) -> bool:
    """Whether the user must be asked.

    Any application on the device of a user can pretend to be a client without a secret that returns there. So
    that one gets nothing without somebody at the keyboard, whatever was granted before (RFC 8252 §8.6), and
    whether or not it is registered as native: many that register themselves do not say so. And a user
    with rights beyond their tenant is asked each time by the client of a tenant, whose managers get the
    tokens. A user who may do more than those who have written the client is asked once, as by a client that
    needs consent.
    """
    if "consent" in request.prompts:
        return True
    client = request.client
    if client.is_public and request.target.is_on_device and not situation.is_fresh:
        return True
    if situation.is_beyond_tenant and client.users is not None:
        return True
    if not (client.needs_consent or situation.is_beyond_writers):
        return False
    return not _is_covered(request, situation.consented or {})


def _is_covered(request: CheckedRequest, consented: Mapping[str, frozenset[str]]) -> bool:
    """Whether the user has granted each scope at each resource; one granted elsewhere does not count."""
    scopes = frozenset(wanted_scopes(request))
    return all(scopes <= consented.get(resource, frozenset()) for resource in wanted_resources(request))


_NOT_SILENT = {
    Step.LOGIN: Refusal("login_required", "the user must log in"),
    Step.CONSENT: Refusal("consent_required", "the user must be asked"),
}
