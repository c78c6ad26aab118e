"""Dropping tracebacks: their frames hold the record; a variable that holds the error closes a circle."""

from __future__ import annotations

import gc
import weakref

import pytest

from runtime.errors import NotFound
from runtime.tracebacks import drop_tracebacks


class Record(list[int]):
    pass


@pytest.mark.parametrize("how", ["raised", "from", "while", "kept as its cause", "twice"])
def test_nothing_holds_the_record_any_more(how: str) -> None:
    record = Record()
    gone = weakref.ref(record)

    def driver(_record: object) -> None:
        fault = RuntimeError("no")  # as the driver: the frame and the error hold each other
        raise fault

    def work(record: object) -> None:
        if how == "raised":
            error = NotFound("no")
            raise error
        try:
            driver(record)
        except RuntimeError as fault:
            error = NotFound("no", cause=fault if how == "kept as its cause" else None)
            if how == "kept as its cause":
                raise error from None
            if how == "while":
                raise error  # noqa: B904
            raise error from fault

    gc.disable()
    try:
        try:
            work(record)
        except NotFound as error:
            drop_tracebacks(error)
            if how == "twice":
                drop_tracebacks(error)
        del record
        assert gone() is None
    finally:
        gc.enable()


def test_a_circle_of_causes_has_an_end() -> None:
    one, other = NotFound("one"), NotFound("other")
    one.__cause__, other.__cause__ = other, one
    drop_tracebacks(one)
