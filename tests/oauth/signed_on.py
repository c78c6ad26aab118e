"""Users who are signed in, and browsers of a world in which they are."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx2

from runtime.call import Service
from runtime.principal import DomainContext
from runtime.signed_on import SignedOn
from tests.http.world import PASSWORD, World
from tests.oauth.applications import manage, send
from tests.oauth.browsing import Form, read_forms
from tests.oauth.sign_ins import USER

BROWSER = "Mozilla/5.0"
PLACE = DomainContext(tenant_id="acme", default_realm="main")


def describe_signed_on(subject: str = "ann", *roles: str, acts_as_others: bool = False) -> SignedOn:
    """Describe a user who is signed in, without a browser."""
    return SignedOn(
        "s-1", "main", subject, f"{subject}@acme.example", 1, 0.0, {"tenantId": "acme"}, PLACE,
        frozenset(roles or {"user"}), acts_as_others=acts_as_others,
    )  # fmt: skip


ANN = describe_signed_on()


@dataclass
class SignedOnBrowser:
    """A browser, its sign-on, and the cookies that it has."""

    world: World
    signed_on: SignedOn
    cookies: dict[str, str] = field(repr=False)

    @property
    def is_signed_on(self) -> bool:
        """Whether its cookie still has a user."""
        header = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        return manage(self.world, _find, self.signed_on.realm, header["cookie"]) is not None

    def get(self, path: str, **query: str) -> httpx2.Response:
        """Open an address of the service, as after a click in an application."""
        return self._take(self.world.ask(f"GET {path}?{urlencode(query)}", None, headers=self._headers()))

    def post(self, path: str, form: dict[str, str], *, is_from_elsewhere: bool = False) -> httpx2.Response:
        """Send a form; browsers send no Lax cookie with the form of another site."""
        headers = {} if is_from_elsewhere else self._headers()
        return self._take(send(self.world, form, headers, path))

    def answer(self, page: httpx2.Response, **typed: str) -> httpx2.Response:
        """Send the form of a page."""
        form = form_of(page)
        return self.post(form.action, {**form.values, **typed})

    def _headers(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    def _take(self, answer: httpx2.Response) -> httpx2.Response:
        for line in answer.headers.get_list("set-cookie"):
            name, _equals, value = line.partition(";")[0].partition("=")
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        return answer


def sign_on(
    world: World, user_id: str = USER, cookie: str | None = None, realm: str | None = None
) -> SignedOnBrowser:
    """Sign a user on in a new browser."""
    signed_on, header = manage(world, _begin, user_id, cookie, realm or world.realm)
    name, _equals, value = header.partition(";")[0].partition("=")
    return SignedOnBrowser(world, signed_on, {name: value})


def form_of(page: httpx2.Response) -> Form:
    """The one form of a page."""
    assert page.headers["content-type"] == "text/html; charset=utf-8", page.text
    (form,) = read_forms(page.text)
    return form


async def _begin(service: Service, user_id: str, cookie: str | None, realm: str) -> Any:
    credential = await service.provider.authenticate(user_id, PASSWORD, realm, "192.0.2.1")
    return await service.sign_ons.begin(realm, credential, BROWSER, cookie)


async def _find(service: Service, realm: str, cookie: str) -> SignedOn | None:
    return await service.sign_ons.find(realm, cookie)
