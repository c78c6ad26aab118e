"""The text of a parameter → a value of its type.

Texts are read as exactly as values of a JSON body: Python alone would also take ``1_0`` for a number and
``yes`` for true.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import BeforeValidator, TypeAdapter
from pydantic_core import PydanticCustomError

from runtime.contract.values import read_digits, read_flag, read_number

_LARGEST: Final = 2**63


def _read_whole(text: Any) -> Any:
    number = read_digits(text)
    if not -_LARGEST <= number < _LARGEST:
        raise PydanticCustomError("whole_number", "Input should be a whole number of 64 bits")
    return number


_READERS: Final[Mapping[Any, Callable[[Any], Any]]] = {bool: read_flag, float: read_number, int: _read_whole}


def is_list(annotation: Any) -> bool:
    """Return whether the type is that of a list, which is sent by repeating the name."""
    return _find_list(annotation) is not None


def compile_reader(annotation: Any) -> Callable[[Any], Any]:
    """Compile a type into what reads its text, or the texts of a list. That raises ``ValidationError``."""
    found = _find_list(annotation)
    read = _find_reader(get_args(found)[0] if found else annotation)
    if read is None:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    elif found:
        adapter = TypeAdapter(Annotated[annotation, BeforeValidator(partial(_read_each, read))])
    else:
        adapter = TypeAdapter(Annotated[annotation, BeforeValidator(read)])
    # The validator itself: the adapter only adds options that are not given.
    return adapter.validator.validate_python if found else adapter.validator.validate_strings


def _read_each(read: Callable[[Any], Any], texts: Any) -> list[Any]:
    return [read(text) for text in texts]


def _find_list(annotation: Any) -> Any:
    """Return the ``list[…]`` in ``Annotated[list[…] | None, …]``; None of other types."""
    if get_origin(annotation) is list:
        return annotation
    return next((found for one in _unwrap(annotation) if (found := _find_list(one)) is not None), None)


def _find_reader(annotation: Any) -> Callable[[Any], Any] | None:
    """Return what reads the scalar in ``Annotated[int | None, …]``; None where Pydantic reads it exactly."""
    if isinstance(annotation, type):
        return _READERS.get(annotation)
    return next((found for one in _unwrap(annotation) if (found := _find_reader(one)) is not None), None)


def _unwrap(annotation: Any) -> tuple[Any, ...]:
    args = get_args(annotation)
    return args[:1] if get_origin(annotation) is Annotated else args
