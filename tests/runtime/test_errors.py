"""The error tree: only leaves can be raised, and what each says to HTTP."""

from __future__ import annotations

import pytest

from runtime import errors
from runtime.errors import (
    AccessError,
    LoginFailed,
    NotFound,
    PasswordChangeRequired,
    RequestError,
    ServerFault,
    ServiceError,
    StoreUnavailable,
    Throttled,
    Unauthenticated,
    ValidationFailed,
    leaves,
)
from runtime.errors.phrases import reason_phrase


@pytest.mark.parametrize("abstract", [ServiceError, RequestError, AccessError, ServerFault])
def test_an_abstract_error_cannot_be_raised(abstract: type[ServiceError]) -> None:
    with pytest.raises(TypeError, match=f"{abstract.__name__} is abstract"):
        abstract("no")


def test_a_class_without_a_code_of_its_own_is_abstract() -> None:
    class Special(NotFound):
        pass

    try:
        with pytest.raises(TypeError, match="Special is abstract"):
            Special("no")
    finally:
        del Special  # a subclass that stays would be found by leaves()


def test_message_and_details_are_public_and_the_cause_is_kept() -> None:
    cause = KeyError("private")

    error = ValidationFailed("bad", cause=cause, violations=[{"path": "a", "message": "b"}])

    assert (str(error), error.message) == ("bad", "bad")
    assert error.details == {"violations": [{"path": "a", "message": "b"}]}
    assert error.cause is cause


def test_a_detail_may_be_called_message() -> None:
    assert ValidationFailed("bad", message="x").details == {"message": "x"}


@pytest.mark.parametrize(
    ("error", "headers"),
    [
        (NotFound("x"), {}),
        (Throttled("x", retryAfter=7), {"Retry-After": "7"}),
        (Throttled("x"), {"Retry-After": "60"}),
        (StoreUnavailable("x"), {"Retry-After": "1"}),
        (Unauthenticated("x"), {"WWW-Authenticate": 'Bearer realm="recordsmith"'}),
        (
            Unauthenticated("x", bad_token=True),
            {"WWW-Authenticate": 'Bearer realm="recordsmith", error="invalid_token"'},
        ),
        (LoginFailed("x"), {"WWW-Authenticate": 'Bearer realm="recordsmith"'}),
        (PasswordChangeRequired("x"), {"WWW-Authenticate": 'Bearer realm="recordsmith"'}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_headers(error: ServiceError, headers: dict[str, str]) -> None:
    assert error.headers == headers


def test_every_401_carries_a_challenge_and_every_429_and_503_a_retry_after() -> None:
    for leaf in leaves():
        headers = leaf("x").headers
        assert ("WWW-Authenticate" in headers) == (leaf.status == 401), leaf
        again = leaf.status in (429, 503) or leaf is errors.KeyInFlight
        assert ("Retry-After" in headers) == again, leaf


def test_leaves_are_all_classes_of_the_module_that_have_a_code() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    named = [c for c in classes if issubclass(c, ServiceError) and "code" in vars(c)]

    assert sorted(leaves(), key=id) == sorted(named, key=id)
    assert len(leaves()) == len(set(leaves()))
    assert leaves(AccessError)[0] is Unauthenticated


@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        (404, "Not Found"),
        (413, "Content Too Large"),
        (414, "URI Too Long"),
        (416, "Range Not Satisfiable"),
        (422, "Unprocessable Content"),
    ],
)
def test_a_status_has_the_phrase_of_rfc_9110_on_each_version_of_python(status: int, phrase: str) -> None:
    assert reason_phrase(status) == phrase
