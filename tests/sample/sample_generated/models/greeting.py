"""Greeting, from specs/shop/greeting.yaml. Written by the generator; do not edit."""

from pydantic import AwareDatetime

from runtime.record import Strict


class Greeting(Strict):
    """A greeting."""

    text: str
    at: AwareDatetime | None = None
