"""The headers that name another user, as they come over the wire."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidParameter
from runtime.http.acting import find_target, on_behalf_of, read_named_users
from runtime.principal import OnBehalfOf
from runtime.seams import UserKey

AS_USER, AS_SUBJECT = b"x-impersonate-userid", b"x-impersonate-subject"
FOR_USER, FOR_SUBJECT = b"x-acting-on-behalf-of-userid", b"x-acting-on-behalf-of-subject"
ALL = (AS_USER, AS_SUBJECT, FOR_USER, FOR_SUBJECT)


@pytest.mark.parametrize(
    ("headers", "target", "other"),
    [
        pytest.param([], None, None, id="none of them"),
        pytest.param([(b"x-realm", b"emea"), (b"x-impersonate", b"a")], None, None, id="others"),
        pytest.param([(AS_USER, b"ada")], UserKey(user_id="ada"), None, id="as a user id"),
        pytest.param([(AS_SUBJECT, b"s-1")], UserKey(subject="s-1"), None, id="as a subject"),
        pytest.param([(FOR_USER, b"ada")], None, OnBehalfOf(user_id="ada"), id="for a user id"),
        pytest.param(
            [(FOR_SUBJECT, b"s"), (FOR_USER, b"ada")], None, OnBehalfOf("ada", "s"), id="for both names"
        ),
        pytest.param(
            [(AS_USER, b"ada"), (FOR_USER, b"bob")],
            UserKey("ada"),
            OnBehalfOf("bob"),
            id="as one, for another",
        ),
    ],
)
def test_what_they_say(
    headers: list[tuple[bytes, bytes]], target: UserKey | None, other: OnBehalfOf | None
) -> None:
    named = read_named_users(headers)
    assert find_target(named) == target
    assert on_behalf_of(named) == other


@pytest.mark.parametrize("name", ALL, ids=bytes.decode)
class TestValues:
    @pytest.mark.parametrize("text", ["a", "x" * 200, "José", "日本", "customer 9", "a,b", '{"$ne": 1}'])
    def test_a_value_is_text_in_utf_8(self, name: bytes, text: str) -> None:
        assert read_named_users([(name, text.encode())]) == {name.decode(): text}

    @pytest.mark.parametrize(
        "raw",
        [
            b"", b" ", b" a", b"a ", b"x" * 201, "é".encode("latin-1"), b"\xff\xfe", b"\xed\xa0\x80", b"a\x00",
            b"a\tb", b"a\x7f", "a\u202eb".encode(), "a\u00a0".encode(),
        ],
        ids=repr,
    )  # fmt: skip
    def test_a_value_that_is_none(self, name: bytes, raw: bytes) -> None:
        with pytest.raises(InvalidParameter) as refusal:
            read_named_users([(name, raw)])
        assert refusal.value.details == {"parameter": name.decode()}

    def test_a_header_comes_once(self, name: bytes) -> None:
        with pytest.raises(InvalidParameter, match="more than once"):
            read_named_users([(name, b"a"), (name, b"a")])


def test_one_cannot_be_two() -> None:
    with pytest.raises(InvalidParameter, match="not both"):
        find_target(read_named_users([(AS_USER, b"ada"), (AS_SUBJECT, b"s-1")]))


@given(st.lists(st.tuples(st.sampled_from(ALL), st.binary(max_size=8)), max_size=3))
def test_bytes_are_read_or_refused(headers: list[tuple[bytes, bytes]]) -> None:
    try:
        named = read_named_users(headers)
    except InvalidParameter:
        return
    assert {name.encode(): text.encode() for name, text in named.items()} == dict(headers)
    assert all(text.isprintable() and text == text.strip() for text in named.values())
