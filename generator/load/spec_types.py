"""What the language has at a path of a file: a spec class, or a list or mapping of something."""

from collections.abc import Iterable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from generator.spec import SPECS, Spec

Path = tuple[str | int, ...]

_FEW: Final = 4


def words_at(path: Iterable[str | int], spec: type[Spec]) -> frozenset[str]:
    """Return the keys of the spec class that a path leads to."""
    return frozenset(list_keys(find_type(path, spec)))


@cache
def list_words(kind: str) -> frozenset[str]:
    """List the keys that a file of a kind may have."""
    return words_at((), SPECS[kind])


def list_needed(found: Any) -> list[str]:
    """List the keys that a mapping needs; where it needs none, all if they are few."""
    keys = list_keys(found)
    needed = [name for name, info in keys.items() if info.is_required()]
    return needed or (list(keys) if len(keys) <= _FEW else [])


def list_keys(found: Any) -> dict[str, FieldInfo]:
    """List the keys of a spec class; none of another type."""
    if not isinstance(found, type) or not issubclass(found, Spec):
        return {}
    return {info.alias or name: info for name, info in found.model_fields.items()}


def find_type(path: Iterable[str | int], spec: type[Spec]) -> Any:
    """Find the type of what a path leads to. Steps that name a member of a union are passed over."""
    here: Any = spec
    for step in path:
        keys = list_keys(here)
        if step in keys:
            here = _choose_member(keys[str(step)].annotation)
        elif not keys:
            here = _choose_member((None, *get_args(here))[-1])
    return here


def _choose_member(annotation: Any) -> Any:
    """Return the member of a union that has most inside, without what is annotated of it."""
    if get_origin(annotation) is Annotated:
        return _choose_member(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        members = [_choose_member(one) for one in get_args(annotation) if one is not NoneType]
        return next((one for one in members if list_keys(one) or get_args(one)), members[0])
    return annotation
