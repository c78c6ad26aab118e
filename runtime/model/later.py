"""Classes that are imported when they are first needed: a service may have hundreds and use a few."""

from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar, cast

T = TypeVar("T")


class Later(NamedTuple):
    """A class or a function, by the name of its module and its own."""

    module: str
    name: str

    def load(self) -> Any:
        return getattr(import_module(self.module), self.name)

    def find(self) -> Any:
        """Import it; None where its module does not have it."""
        return getattr(import_module(self.module), self.name, None)

    @classmethod
    def of(cls, found: object) -> "Later":
        """Return the names of a class."""
        if isinstance(found, cls):
            return found
        return cls(getattr(found, "__module__", ""), getattr(found, "__qualname__", ""))


class LateClass(Generic[T]):
    """An attribute that is given as a class, or as ``Later``, and read as a class.

    With an ``ending`` it may be omitted: it is then the class in the module of ``model`` that has the name of
    ``model`` and this ending. Where the module has none, it is what the attribute ``otherwise`` is, or None.
    """

    def __init__(self, ending: str = "", otherwise: str = "") -> None:
        self._ending = ending
        self._otherwise = otherwise
        self._name = ""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, instance: Any, _owner: type | None = None) -> T:
        if instance is None:  # the dataclass asks for the default
            if not self._ending:
                raise AttributeError(self._name)
            return cast(T, None)
        known = vars(instance)
        if self._name not in known:
            known[self._name] = self._find(instance)
        elif isinstance(found := known[self._name], Later):
            known[self._name] = found.load()
        return cast(T, known[self._name])

    def __set__(self, instance: Any, value: T | Later | None) -> None:
        if value is not None:
            vars(instance)[self._name] = value

    def _find(self, instance: Any) -> Any:
        found = self.name_in(instance).find()
        return getattr(instance, self._otherwise) if found is None and self._otherwise else found

    def name_in(self, instance: object) -> Later:
        """Return the names of the class, without importing it."""
        found = vars(instance).get(self._name)
        if found is not None:
            return Later.of(found)
        model = Later.of(vars(instance)["_model"])
        return model._replace(name=model.name + self._ending)


def name_of(instance: object, attribute: str) -> Later:
    """Return the names of the class that an attribute of this kind has, without importing it."""
    late: LateClass[Any] = vars(type(instance))[attribute]
    return late.name_in(instance)
