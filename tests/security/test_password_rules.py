"""What a new password must be."""

from __future__ import annotations

import pytest

from runtime.errors import ValidationFailed
from runtime.identity.credentials import common_passwords
from runtime.identity.credentials.password_rules import check_new_password

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("new", "old", "fault"),
    [
        pytest.param(
            "eleven chrs", None, "must have at least 12 characters, not counting blanks", id="one too short"
        ),
        pytest.param("", None, "must have at least 12 characters, not counting blanks", id="empty"),
        pytest.param(
            "e\u0301" * 6 + "12345",
            None,
            "must have at least 12 characters, not counting blanks",
            id="accents count once",
        ),
        pytest.param(
            "twelve chars", None, "must have at least 12 characters, not counting blanks", id="a blank"
        ),
        pytest.param(
            "a b\u3000c\u2009d\te\u200bf\u2060g" + " " * 20,
            None,
            "must have at least 12 characters, not counting blanks",
            id="many blanks",
        ),
        pytest.param("aaaaaaaaaaaa", None, "must not be one character repeated", id="one letter"),
        pytest.param(
            "aAaAaA aaaaaa", None, "must not be one character repeated", id="one letter in two cases"
        ),
        pytest.param(
            "1qaz2wsx3edc", None, "is one of the 10,000 most common ones: choose another", id="common"
        ),
        pytest.param(
            "1QAZ2wsx3EDC",
            None,
            "is one of the 10,000 most common ones: choose another",
            id="common in another case",
        ),
        pytest.param(
            "1qaz 2wsx 3edc",
            None,
            "is one of the 10,000 most common ones: choose another",
            id="common with blanks",
        ),
        pytest.param("ADA@acme.example", None, "must not be the user id", id="user id in another case"),
        pytest.param("ａda@acme.example", None, "must not be the user id", id="user id in full width"),
        pytest.param("correct horses", "correct horses", "must differ from the old one", id="the old one"),
        pytest.param(
            "corre\u0301ct horses",
            "corr\u00e9ct horses",
            "must differ from the old one",
            id="the old one composed",
        ),
    ],
)
async def test_faults(new: str, old: str | None, fault: str) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        await check_new_password(new, "ada@acme.example", least=12, old=old)
    assert refusal.value.details["violations"] == [{"path": "newPassword", "message": fault}]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        pytest.param("twelve-marks", None, id="just long enough"),
        pytest.param("correct horses", "Correct horses", id="old one in another case"),
        pytest.param("ada@acme.example1", None, id="user id and more"),
        pytest.param("xy" * 100, None, id="length in bytes is looked at by the hash"),
    ],
)
async def test_what_may_be(new: str, old: str | None) -> None:
    await check_new_password(new, "ada@acme.example", least=12, old=old)


async def test_the_place_is_that_of_the_body() -> None:
    with pytest.raises(ValidationFailed) as refusal:
        await check_new_password("short", "ada", least=12, path="password")
    assert refusal.value.details["violations"][0]["path"] == "password"


@pytest.mark.parametrize("common", ["password", "12345678", "iloveyou", "qwertyuiop", "q1w2e3r4t5y6"])
async def test_common_ones_are_refused_however_short_they_may_be(common: str) -> None:
    with pytest.raises(ValidationFailed, match="most common"):
        await check_new_password(common, "ada", least=8)


async def test_there_are_ten_thousand() -> None:
    assert 9_900 < len(common_passwords._load_passwords()) <= 10_000
