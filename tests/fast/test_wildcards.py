"""Texts fit a wildcard by positions as they do by a regular expression."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.fast import wildcards
from runtime.fast.wildcards import LONGEST_PART, Part, Shape, fits

SIGNS = "abé\n\0Ω漢\U0001f600\U00010061\ud800"
LETTERS = st.lists(st.sampled_from([*SIGNS, "", "", "aA", "Ωωé", "a漢"]), max_size=5).map(tuple)
PARTS = LETTERS.filter(bool) | st.text(SIGNS, min_size=1, max_size=3)


def fits_plainly(shape: Shape, text: str) -> bool:
    """The twin: an atomic group for each part between stars, the last part looked for at the end."""
    pattern = "^" + write(shape.head) + "".join(f"(?>.*?{write(part)})" for part in shape.middle)
    if shape.tail:
        pattern += f"(?=.{{{len(shape.tail)}}})(?>.*)(?<={write(shape.tail)})"
    return re.search(pattern, text, re.DOTALL) is not None


def write(part: Part) -> str:
    return "".join(f"[{re.escape(letters)}]" if letters else "." for letters in part)


@given(
    st.builds(Shape, LETTERS, st.lists(PARTS, max_size=3).map(tuple), LETTERS), st.text(SIGNS, max_size=14)
)
@example(Shape((), (("a", ""),), ("a",)), "ab")
@example(Shape(("a",), (("a",),), ("a",)), "aa")
@example(Shape((), (("", "", ""),), ()), "aa")
@example(Shape((), (("", "a"),), ()), "")
def test_short_texts(shape: Shape, text: str) -> None:
    assert fits(shape, text) == fits_plainly(shape, text)


@pytest.mark.parametrize("signs", ["ab", "aéÿ", "aΩ漢", "a漢\U0001f600\ud800", "".join(map(chr, range(256)))])
def test_long_texts(signs: str) -> None:
    """Longer than a window, with parts across its edges."""
    random = Random(len(signs))
    for length in (wildcards.WIDTH - 1, wildcards.WIDTH, wildcards.WIDTH + 3, 2 * wildcards.WIDTH + 300):
        text = "".join(random.choices(signs, k=length))
        for at in [
            *range(length - 700, length - 300, 37),
            *range(wildcards.WIDTH - 299, wildcards.WIDTH, 31),
        ]:
            part = random_part(random, text[max(at, 0) : at + random.choice([1, 5, 40, LONGEST_PART])])
            middle = (
                (part,) if random.random() < 0.5 else (part, random_part(random, text[at + 256 : at + 270]))
            )
            shape = Shape((), tuple(filter(None, middle)), random.choice([(), ("", text[-1])]))
            assert fits(shape, text) == fits_plainly(shape, text)


def random_part(random: Random, text: str) -> tuple[str, ...]:
    """A part that begins like a text, with signs that stand for any, and seldom one that does not fit."""
    return tuple(
        random.choice(["", sign, sign, f"{sign}b", *["x"] * (random.random() < 0.01)]) for sign in text
    )


def test_a_part_of_many_different_letters_and_none_else() -> None:
    letters = tuple(map(chr, range(0x100, 0x100 + LONGEST_PART)))
    text = ("".join(letters[:-1]) + "x") * 200
    with_any = tuple("" if at % 2 else letter for at, letter in enumerate(letters))
    for part in (letters, with_any, letters[:-1], with_any[:-2]):
        shape = Shape((), (part,), ())
        assert fits(shape, text) == fits_plainly(shape, text)


def test_what_is_remembered_of_a_text_is_bounded() -> None:
    letters = "".join(map(chr, range(0x20, 0x100)))
    text = "".join(f"{letter}." for letter in letters)
    assert fits(Shape((), tuple((letter, "") for letter in letters), ()), text)
    (column,) = wildcards._read_window(text)._columns
    assert (len(column._values), len(column._halves), len(column._planes)) == (8, 2 * 16 - 2, 8)
