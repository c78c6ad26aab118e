"""Every error a caller can get has a code of its own, a status that fits it, and a title."""

from __future__ import annotations

import re
from http import HTTPStatus

import pytest

from runtime.errors import AccessError, RequestError, ServerFault, ServiceError, leaves
from tests.rows import for_each_row

FAMILIES = {
    RequestError: {400, 404, 405, 408, 409, 410, 412, 413, 415, 422, 429, 431},
    AccessError: {401, 403},
    ServerFault: {500, 501, 502, 503},
}
"""The statuses, by whose fault it is."""


def _all_classes(root: type[ServiceError] = ServiceError) -> list[type[ServiceError]]:
    return [root, *(found for child in root.__subclasses__() for found in _all_classes(child))]


ABSTRACT = [error for error in _all_classes() if error not in leaves()]


each_leaf = for_each_row("leaf", {leaf.__name__: leaf for leaf in leaves()})


@each_leaf
def test_its_status_is_one_of_its_family(leaf: type[ServiceError]) -> None:
    (family,) = (base for base in FAMILIES if issubclass(leaf, base))
    assert HTTPStatus(leaf.status) in FAMILIES[family]


@each_leaf
def test_its_code_is_two_words_of_the_same_shape(leaf: type[ServiceError]) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z]+(_[a-z]+)*", leaf.code)


@each_leaf
def test_its_title_is_a_short_sentence_without_a_stop(leaf: type[ServiceError]) -> None:
    assert re.fullmatch(r"[A-Z].{5,60}[^.\s]", leaf.title)


@each_leaf
def test_it_has_no_leaf_below(leaf: type[ServiceError]) -> None:
    assert leaf.__subclasses__() == []


@each_leaf
def test_it_can_be_raised(leaf: type[ServiceError]) -> None:
    with pytest.raises(leaf, match="why"):
        raise leaf("why")


def test_no_two_leaves_share_a_code_or_a_title() -> None:
    assert len({leaf.code for leaf in leaves()}) == len(leaves())
    assert len({leaf.title for leaf in leaves()}) == len(leaves())


@pytest.mark.parametrize("error", ABSTRACT, ids=lambda error: error.__name__)
def test_what_is_no_leaf_cannot_be_raised(error: type[ServiceError]) -> None:
    with pytest.raises(TypeError, match="abstract"):
        error("why")


def test_the_abstract_ones_are_the_root_and_the_families() -> None:
    assert set(ABSTRACT) == {ServiceError, *FAMILIES}
