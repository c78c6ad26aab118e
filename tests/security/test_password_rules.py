"""What a new password must be."""

from __future__ import annotations

import pytest

from runtime.errors import ValidationFailed
from runtime.security.password_rules import check_new_password


@pytest.mark.parametrize(
    ("new", "old", "fault"),
    [
        pytest.param("eleven chrs", None, "must have at least 12 characters", id="one too short"),
        pytest.param("", None, "must have at least 12 characters", id="empty"),
        pytest.param(
            "e\u0301" * 6 + "12345", None, "must have at least 12 characters", id="accents count once"
        ),
        pytest.param("ADA@acme.example", None, "must not be the user id", id="user id in another case"),
        pytest.param("ａda@acme.example", None, "must not be the user id", id="user id in full width"),
        pytest.param("correct horse", "correct horse", "must differ from the old one", id="the old one"),
        pytest.param(
            "corre\u0301ct horse",
            "corr\u00e9ct horse",
            "must differ from the old one",
            id="the old one composed",
        ),
    ],
)
def test_faults(new: str, old: str | None, fault: str) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        check_new_password(new, "ada@acme.example", least=12, old=old)
    assert refusal.value.details["violations"] == [{"path": "newPassword", "message": fault}]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        pytest.param("twelve chars", None, id="just long enough"),
        pytest.param("correct horse", "Correct horse", id="old one in another case"),
        pytest.param("ada@acme.example1", None, id="user id and more"),
        pytest.param("x" * 200, None, id="length in bytes is looked at by the hash"),
    ],
)
def test_what_may_be(new: str, old: str | None) -> None:
    check_new_password(new, "ada@acme.example", least=12, old=old)


def test_the_place_is_that_of_the_body() -> None:
    with pytest.raises(ValidationFailed) as refusal:
        check_new_password("short", "ada", least=12, path="password")
    assert refusal.value.details["violations"][0]["path"] == "password"
