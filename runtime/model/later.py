"""Classes that are imported when they are first needed: a service may have hundreds and use a few."""

from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar, cast

T = TypeVar("T")


class Later(NamedTuple):
    """A class or a function, by the name of its module and its own."""

    module: str
    name: str

    def load(self) -> Any:
        """Import it."""
        return getattr(import_module(self.module), self.name)

    @classmethod
    def of(cls, found: object) -> "Later":
        """Return the names of a class."""
        return cls(getattr(found, "__module__", ""), getattr(found, "__qualname__", ""))


class LateClass(Generic[T]):
    """An attribute that is given as a class, or as ``Later``, and read as a class."""

    def __init__(self, *, default: Any = ...) -> None:
        self._default = default
        self._name = ""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, instance: Any, _owner: type | None = None) -> T:
        if instance is None:  # the dataclass asks for the default
            if self._default is ...:
                raise AttributeError(self._name)
            return cast(T, self._default)
        found = vars(instance)[self._name]
        if isinstance(found, Later):
            found = vars(instance)[self._name] = found.load()
        return cast(T, found)

    def __set__(self, instance: Any, value: T | Later) -> None:
        vars(instance)[self._name] = value


def name_of(instance: object, attribute: str) -> Later:
    """Return the names of the class that an attribute of this kind has, without importing it."""
    found = vars(instance)[f"_{attribute}"]
    return found if isinstance(found, Later) else Later.of(found)
