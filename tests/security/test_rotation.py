"""Changing the signing key: published first, then signing; the old one verifies until its tokens have ended."""

from __future__ import annotations

import errno
import os
import stat
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from runtime.errors import Misconfigured, Unauthenticated
from runtime.settings import Settings
from runtime.tokens import KeyChangeRefused, KeyFacts, Keys, Tokens, list_keys, remove_key, rotate_keys
from runtime.tokens.key_files import read_private, read_public
from runtime.tokens.rotation import MARGIN_SECONDS, longest_token_seconds
from tests.security.key_folders import ADA, NOW, Clock, settings

PUBLISH = 300
LONGEST = 365 * 86400
"""The longest lifetime of a token by default: that of a service token."""
TURN = NOW + PUBLISH
"""When the new key begins to sign."""
END = TURN + LONGEST + MARGIN_SECONDS
"""When the old key ends."""


def states(facts: list[KeyFacts]) -> dict[str, str]:
    return {each.kid: each.state for each in facts}


def kids(tokens: Tokens) -> list[str]:
    return [key["kid"] for key in tokens.key_set()["keys"]]


def moment(text: str | None) -> int | None:
    return None if text is None else int(datetime.fromisoformat(text).timestamp())


@pytest.fixture
def old(made: Settings) -> str:
    return Keys.from_settings(made).kid


def new_of(made: Settings, old: str) -> str:
    (found,) = {facts.kid for facts in list_keys(made, NOW)} - {old}
    return found


def test_where_there_is_none_the_first_key_signs_at_once(tmp_path: Path) -> None:
    where = settings(
        tmp_path,
        environment="production",
        private_key_location=tmp_path / "a" / "b.pem",
        jwt_secret="0123456789" * 4,
    )
    (only,) = rotate_keys(where, NOW)
    assert only.state == "signing"
    assert moment(only.signs_from) == moment(only.created) == NOW
    assert Keys.from_settings(where).kid == only.kid
    assert stat.S_IMODE((tmp_path / "a" / "b.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a" / "public.pem").stat().st_mode) == 0o644


def test_a_new_key_waits_and_then_signs(made: Settings, old: str) -> None:
    assert states(rotate_keys(made, NOW)) == {old: "signing", new_of(made, old): "next"}
    assert states(list_keys(made, TURN - 1)) == {old: "signing", new_of(made, old): "next"}
    assert states(list_keys(made, TURN)) == {old: "verifying", new_of(made, old): "signing"}
    assert states(list_keys(made, END - 1)) == {old: "verifying", new_of(made, old): "signing"}
    assert states(list_keys(made, END)) == {old: "expired", new_of(made, old): "signing"}


def test_times_are_told(made: Settings, old: str) -> None:
    before, after = sorted(rotate_keys(made, NOW), key=lambda facts: facts.kid != old)
    assert (before.signs_from, moment(before.verifies_until), before.bits) == (None, END, 2048)
    assert before.created is not None
    assert (moment(after.created), moment(after.signs_from), after.verifies_until) == (NOW, TURN, None)


def test_a_running_service_follows_the_clock(made: Settings, old: str) -> None:
    """Without another look at the files: what they say of times is known from the first."""
    clock = Clock()
    rotate_keys(made, NOW)
    new = new_of(made, old)
    tokens = Tokens(made, clock)
    by_old = tokens.mint_access(ADA, service_token=("t", LONGEST))
    assert kids(tokens) == [old, new]

    clock.seconds = TURN
    by_new = tokens.mint_access(ADA, service_token=("t", LONGEST))
    assert kids(tokens) == [new, old]
    assert tokens.verify_access(by_old).user_id == tokens.verify_access(by_new).user_id == "Ada"

    clock.seconds = END
    assert kids(tokens) == [new]
    with pytest.raises(Unauthenticated):
        tokens.verify_access(by_old)


def test_a_remembered_token_ends_with_its_key(made: Settings, old: str) -> None:
    """Also when its own time is not over: the lifetimes in force may have been longer before."""
    clock = Clock()
    made = settings(made.data_folder, access_token_seconds=10 * LONGEST, service_token_max_days=1)
    rotate_keys(made, NOW)
    tokens = Tokens(made, clock)
    token = tokens.mint_access(ADA)
    tokens.verify_access(token)
    remove_old(made, old)
    clock.seconds += 3
    with pytest.raises(Unauthenticated):  # some other token of an unknown key makes it look
        tokens.verify_access(Tokens(other_folder(made), clock).mint_access(ADA))
    with pytest.raises(Unauthenticated, match="signing key is unknown"):
        tokens.verify_access(token)


def remove_old(made: Settings, old: str) -> None:
    rotate_keys(made, NOW + 1, at_once=True)
    remove_key(made, old, NOW + 1)


def other_folder(made: Settings) -> Settings:
    return settings(made.data_folder / "other")


def test_at_once_the_new_key_signs_alone(made: Settings, old: str) -> None:
    rotate_keys(made, NOW, at_once=True)
    new = new_of(made, old)
    assert states(list_keys(made, NOW)) == {new: "signing", old: "verifying"}
    assert [key.kid for key in read_private(made.data_folder / "keys" / "private.pem")] == [new]


def test_no_second_rotation_while_one_waits(made: Settings, old: str) -> None:
    rotate_keys(made, NOW)
    before = files(made)
    with pytest.raises(KeyChangeRefused, match=new_of(made, old)):
        rotate_keys(made, TURN - 1)
    assert files(made) == before


def test_at_once_overtakes_a_waiting_key(made: Settings, old: str) -> None:
    waiting = {facts.kid for facts in rotate_keys(made, NOW)} - {old}
    facts = rotate_keys(made, NOW, at_once=True)
    assert sorted(states(facts).values()) == ["signing", "verifying", "verifying"]
    later = states(list_keys(made, TURN + 1))
    assert {later[kid] for kid in waiting} == {"verifying"}, "it never signs"


def test_the_private_half_of_a_key_that_signs_no_more_goes_with_the_next_rotation(
    made: Settings, old: str
) -> None:
    rotate_keys(made, NOW)
    second = new_of(made, old)
    third = ({facts.kid for facts in rotate_keys(made, TURN)} - {old, second}).pop()
    assert [key.kid for key in read_private(made.data_folder / "keys" / "private.pem")] == [second, third]
    public = {key.kid: key.verifies_until for key in read_public(made.data_folder / "keys" / "public.pem")}
    assert public == {old: END, second: END + PUBLISH, third: None}


def test_keys_that_ended_leave_the_files_with_the_next_rotation(made: Settings, old: str) -> None:
    rotate_keys(made, NOW)
    second = new_of(made, old)
    assert old not in states(rotate_keys(made, END))
    assert states(list_keys(made, END))[second] == "signing"


@pytest.mark.parametrize(
    ("lifetimes", "longest"),
    [
        ({"access_token_seconds": 60, "refresh_token_seconds": 90, "service_token_max_days": 1}, 86400),
        ({"access_token_seconds": 60, "refresh_token_seconds": 10**6, "service_token_max_days": 1}, 10**6),
        ({"access_token_seconds": 10**6, "refresh_token_seconds": 60, "service_token_max_days": 1}, 10**6),
        ({}, LONGEST),
    ],
)
def test_an_old_key_lasts_as_long_as_the_longest_token(
    tmp_path: Path, lifetimes: dict[str, int], longest: int
) -> None:
    where = settings(tmp_path, **lifetimes)
    assert longest_token_seconds(where) == longest
    Keys.from_settings(where)
    (before, _after) = rotate_keys(where, NOW)
    assert moment(before.verifies_until) == TURN + longest + MARGIN_SECONDS


@pytest.mark.parametrize("length", [43, 6])
def test_a_removed_key_verifies_no_more(made: Settings, old: str, length: int) -> None:
    token = Tokens(made).mint_access(ADA)
    rotate_keys(made, NOW, at_once=True)
    left = remove_key(made, old[:length], NOW)
    assert states(left) == {new_of(made, old): "signing"}
    with pytest.raises(Unauthenticated, match="signing key is unknown"):
        Tokens(made).verify_access(token)


def test_a_removed_rotation_never_was(made: Settings, old: str) -> None:
    rotate_keys(made, NOW)
    left = remove_key(made, new_of(made, old), NOW)
    assert states(left) == {old: "signing"}
    assert left[0].verifies_until is None


@pytest.mark.parametrize("name", ["", "x", "unknown-key", "../private"])
def test_a_name_that_no_key_has(made: Settings, old: str, name: str) -> None:
    with pytest.raises(KeyChangeRefused, match=old):
        remove_key(made, name, NOW)


def test_a_name_that_is_too_short_names_nothing(made: Settings, old: str) -> None:
    rotate_keys(made, NOW, at_once=True)
    with pytest.raises(KeyChangeRefused, match=f"no keys are called {old[:5]}; .* its first 6 characters"):
        remove_key(made, old[:5], NOW)


def test_the_signing_key_stays(made: Settings, old: str) -> None:
    rotate_keys(made, NOW)
    before = files(made)
    with pytest.raises(KeyChangeRefused, match="rotate --now"):
        remove_key(made, old, NOW)
    assert files(made) == before


def test_one_command_at_a_time(made: Settings) -> None:
    lock = made.data_folder / "keys" / ".private.pem.lock"
    lock.touch()
    for change in (lambda: rotate_keys(made, NOW), lambda: remove_key(made, "x", NOW)):
        with pytest.raises(KeyChangeRefused, match=r"\.private\.pem\.lock"):
            change()
    lock.unlink()
    rotate_keys(made, NOW)
    assert {file.name for file in lock.parent.iterdir()} == {"private.pem", "public.pem", "secret"}


@pytest.mark.parametrize("writes", [0, 1], ids=["the public file", "the private file"])
def test_a_full_disk_leaves_no_part_of_a_key(
    made: Settings, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    before, outcomes = files(made), iter([None] * writes)

    def sync(_descriptor: int) -> None:
        if next(outcomes, True):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", sync)
    with pytest.raises(OSError, match=r"No space left on device: '.*\.pem'"):
        rotate_keys(made, NOW)
    assert files(made).keys() == before.keys()


def test_links_keep_pointing_where_they_do(tmp_path: Path) -> None:
    Keys.from_settings(settings(tmp_path))
    real, link = tmp_path / "keys" / "private.pem", tmp_path / "mounted.pem"
    link.symlink_to(real)
    where = settings(
        tmp_path, private_key_location=link, public_key_location=tmp_path / "keys" / "public.pem"
    )
    rotate_keys(where, NOW)
    assert link.is_symlink()
    assert len(read_private(real)) == 2


class TestHalfWrittenChanges:
    """The two files change one after the other: what stands between must work, for workers and commands."""

    def test_a_rotation_of_which_only_the_public_file_came(self, made: Settings, old: str) -> None:
        private = made.data_folder / "keys" / "private.pem"
        before = private.read_bytes()
        rotate_keys(made, NOW)
        private.write_bytes(before)
        clock = Clock()
        tokens = Tokens(made, clock)
        clock.seconds = END + 1
        assert kids(tokens)[0] == old, "a key that signs also verifies, whatever was announced"
        tokens.verify_access(tokens.mint_access(ADA))
        assert states(rotate_keys(made, NOW))[old] == "signing"

    def test_a_removal_of_which_only_the_private_file_came(self, made: Settings, old: str) -> None:
        rotate_keys(made, NOW)
        public = made.data_folder / "keys" / "public.pem"
        before, new = public.read_bytes(), new_of(made, old)
        remove_key(made, new, NOW)
        public.write_bytes(before)
        assert states(list_keys(made, TURN))[old] == "signing"
        assert states(remove_key(made, new, TURN)) == {old: "signing"}


class TestFilesOfOthers:
    def test_files_without_notes_sign_and_verify_for_ever(self, made: Settings, old: str) -> None:
        for name in ("private.pem", "public.pem"):
            file = made.data_folder / "keys" / name
            lines = file.read_text().splitlines(keepends=True)
            file.write_text("".join(line for line in lines if not line.startswith("Created")))
        (only,) = list_keys(made, NOW)
        assert (only.state, only.created, only.signs_from, only.verifies_until) == (
            "signing",
            None,
            None,
            None,
        )
        assert states(rotate_keys(made, NOW)) == {old: "signing", new_of(made, old): "next"}
        assert states(list_keys(made, TURN))[old] == "verifying"

    def test_a_private_file_alone(self, made: Settings, old: str) -> None:
        (made.data_folder / "keys" / "public.pem").unlink()
        assert states(list_keys(made, NOW)) == {old: "signing"}
        rotate_keys(made, NOW)
        assert len(read_public(made.data_folder / "keys" / "public.pem")) == 2

    def test_other_programs_read_ours(self, made: Settings, old: str) -> None:
        rotate_keys(made, NOW)
        for name, load in (("private.pem", private_of), ("public.pem", load_pem_public_key)):
            key: Any = load((made.data_folder / "keys" / name).read_bytes())
            assert key.public_numbers() == Keys.from_settings(made).public[old].public_numbers(), name

    @pytest.mark.parametrize("line", ["Signs-From: tomorrow", "Verifies-Until: ", "Created: 2026-13-01"])
    def test_a_note_that_is_no_moment(self, made: Settings, line: str) -> None:
        file = made.data_folder / "keys" / "public.pem"
        file.write_text(f"{line}\n{file.read_text()}")
        with pytest.raises(Misconfigured, match=line.partition(":")[0]):
            list_keys(made, NOW)

    def test_other_text_and_line_ends_do_not_matter(self, made: Settings, old: str) -> None:
        file = made.data_folder / "keys" / "public.pem"
        text = f"# ours\nComment: Signs-From: never\n\n{file.read_text()}\nthe end\n"
        file.write_bytes(text.replace("\n", "\r\n").encode())
        assert states(list_keys(made, NOW)) == {old: "signing"}


def private_of(pem: bytes) -> Any:
    key: Any = load_pem_private_key(pem, None)
    return key.public_key()


def files(made: Settings) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (made.data_folder / "keys").iterdir()}
