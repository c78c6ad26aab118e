"""New user ids: what nobody can be called, since it could be taken for somebody else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import ValidationFailed
from runtime.identity.credentials.user_id_rules import fault_of_user_id, normal_user_id

from .conftest import PASSWORD


@pytest.mark.parametrize(
    "user_id",
    [
        "ada", "Ada.Lovelace@acme.example", "ada+test-1_x@acme.example", "a/b", "#1", "éric@acme.example",
        "zoë", "straße", "łukasz", "иван", "Москва", "Σίσυφος", "田中", "田中さんカ", "한글", "İstanbul", "शिव",
        "محمد", "דוד", "иван-2", "田中@1",
    ],
)  # fmt: skip
def test_of_one_script(user_id: str) -> None:
    assert fault_of_user_id(normal_user_id(user_id)) is None


@pytest.mark.parametrize(
    ("user_id", "says"),
    [
        pytest.param("\u0430da", "mixes the scripts of \u0430 (Cyrillic) and a (Latin)", id="Cyrillic a"),
        pytest.param("p\u0430ypal@acme.example", "mixes the scripts", id="in the middle"),
        pytest.param("иван@acme.example", "mixes the scripts", id="two parts"),
        pytest.param("adm\u0131n", "looks like admin", id="dotless i"),
        pytest.param("\u0251dmin", "looks like admin", id="Latin alpha"),
        pytest.param("\u0430\u0440\u0435\u0445", "looks like apex", id="all of it Cyrillic"),
        pytest.param("\u0410\u0420\u0415\u0425", "looks like", id="the same in capitals"),
        pytest.param("αdmin", "mixes the scripts", id="Greek alpha"),
        pytest.param("adm丨n", "mixes the scripts", id="Han stroke"),
        pytest.param("b\u0665b", "U+0665 ARABIC-INDIC DIGIT FIVE", id="digit like a letter"),
        pytest.param("शि1१", "mixes digits", id="digits of two scripts"),
        pytest.param("ada\u200b", "printable", id="zero-width space"),
        pytest.param("ada\u202e", "printable", id="direction mark"),
        pytest.param("ada\u034f", "U+034F COMBINING GRAPHEME JOINER", id="grapheme joiner"),
        pytest.param("ada\ufe0f", "U+FE0F", id="variation selector"),
        pytest.param("\u3164\u3164", "HANGUL", id="filler"),
        pytest.param("ada\u2800", "U+2800", id="blank of Braille"),
        pytest.param("ada\u00b7", "U+00B7", id="middle dot"),
        pytest.param("ada☺", "U+263A", id="symbol"),
        pytest.param("\u0301ada", "a letter before a combining mark", id="mark in front"),
        pytest.param("q" + "\u0323\u0307\u0331\u0332\u0333", "at most 4 marks", id="tower of marks"),
    ],
)
def test_what_could_be_taken_for_another_is_refused(user_id: str, says: str) -> None:
    assert says in (fault_of_user_id(normal_user_id(user_id)) or "")


@given(st.text(max_size=120))
def test_it_answers_to_any_text(user_id: str) -> None:
    fault = fault_of_user_id(normal_user_id(user_id))
    assert fault is None or fault.isprintable()


@given(st.text(st.sampled_from("admin\u0430\u0456\u0251αι\u0131.@1"), min_size=1, max_size=12))
def test_whatever_is_not_ascii_cannot_be_read_as_ascii(user_id: str) -> None:
    """Each of these characters is ASCII, or looks so: only ASCII passes."""
    assert (fault_of_user_id(user_id) is None) is user_id.isascii()


@pytest.mark.anyio
class TestStored:
    async def test_ids_are_stored_in_one_form(self, make_user: Any) -> None:
        made = await make_user("Ａｄａ")
        assert (made["userId"], made["dataDomain"]["ownerId"]) == ("Ada", "Ada")

    async def test_lookalikes_are_refused(self, make_user: Any) -> None:
        with pytest.raises(ValidationFailed, match="mixes the scripts"):
            await make_user("\u0430da")

    async def test_ids_from_before_go_on_working(
        self, service: Service, make_user: Any, mongo_client: MongoClient[Any]
    ) -> None:
        old, realm = "\u0430da@acme.example", service.settings.default_realm
        await make_user("ada")
        stored = mongo_client[realm]["credentials"]
        stored.update_one({}, {"$set": {"userId": old, "loginName": old, "refName": old}})
        signed_in = await service.provider.log_in(old, PASSWORD, realm, "192.0.2.1")
        assert (await service.provider.validate(signed_in.access_token)).user_id == old
