"""Greeting, from specs/shop/greeting.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, Strict


class Greeting(Strict):
    """A greeting."""

    text: str
    at: Moment | None = None
