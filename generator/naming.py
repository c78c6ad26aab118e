"""Names that cannot be built wrong: str subclasses whose constructors refuse what Python would refuse.

A wire name (camelCase, in YAML, JSON and MongoDB) becomes a ``PythonName``; a record's or structure's
name is a ``ClassName``, from which its module (``FileName``) and ``Constant`` follow. A refusal is a
``BadName`` whose text says what would be right; ``resolve`` turns it into a Problem with a line.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from functools import cache

from generator.english import singular, words
from generator.problems import find_odd_character
from generator.runtime_names import RUNTIME_NAMES, SHARED_SCHEMAS
from runtime.model.record import Strict, wire_name

_WIRE = re.compile(r"[a-z][a-zA-Z0-9]*")
_CLASS = re.compile(r"[A-Z][a-zA-Z0-9]*")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*_?")
_AREA = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_UPPER = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")

_OF_THE_APPLICATION = {"Seams", "Settings"}  # app.py imports no records
CLASSES_OF_GENERATED_CODE = frozenset(
    {
        *(name for names in RUNTIME_NAMES.values() for name in names if name[0].isupper()),
        *("Annotated", "Any", "AwareDatetime", "BaseModel", "Decimal", "Field", "Literal", "Path", "Query"),
        *("BulkOperation", "Form", "Header", "IsObjectId", "System"),
        *SHARED_SCHEMAS,
    }
    - _OF_THE_APPLICATION
)
"""Names that generated modules import along with records, or that name other schemas of the document."""

# What a class body of generated/models writes as a type: a field of that name would hide it there.
_TYPES_OF_MODELS = frozenset({"str", "int", "float", "bool", "list", "dict", "date", "datetime"})
_ATTRIBUTES_OF_MODELS = frozenset(name for name in dir(Strict) if not name.startswith("_"))
# mypy's plugin for Pydantic writes a constructor with this parameter, and takes a field for its redefinition.
_NAMES_OF_CHECKERS = frozenset({"kwargs"})
_CONSTANTS_OF_GENERATED_CODE = frozenset({"CATALOG", "ROUTERS", "DOCUMENT", "TOOLS"})
_NAMES_OF_ROUTERS = frozenset(
    {
        *("router", "answer", "nothing", "records", "runtime", "recordsmith", "generated", "admit"),
        *("call", "body", "terms"),
    }
)
_LONGEST_CLASS = 80  # it is part of file names, of collections and of index names, which have limits
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"})
_DIGITS = "0123456789"
_DEVICES_OF_WINDOWS = frozenset({"con", "prn", "aux", "nul"})


class BadName(ValueError):
    """A name that generated code could not carry; the text says why and what would be right."""


class PythonName(str):
    """A snake_case name of a field, parameter or function; never a keyword."""

    __slots__ = ()

    def __new__(cls, name: str) -> PythonName:
        if not _SNAKE.fullmatch(name):
            raise BadName(
                f'"{name}" does not make a Python name: begin with a letter, then letters and digits'
            )
        if keyword.iskeyword(name):
            raise BadName(f'"{name}" is a Python keyword: choose another word')
        return super().__new__(cls, name)

    @classmethod
    @cache
    def from_wire(cls, name: str) -> PythonName:
        """``refName`` → ``ref_name``. Raises ``BadName`` unless the way back gives the same name."""
        python = re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", name)
        if not _WIRE.fullmatch(name) or wire_name(python) != name:
            raise _bad_spelling(name, "camelCase", suggest_field_name(name))
        return cls._of_model(python, name)

    @classmethod
    def from_snake(cls, name: str) -> PythonName:
        """Return a field that is snake_case on the wire as well. Raises ``BadName``."""
        if not _SNAKE.fullmatch(name):
            raise _bad_spelling(name, "snake_case", _snake(_spell_plainly(name)) or "name")
        return cls._of_model(name, name)

    @classmethod
    def _of_model(cls, python: str, name: str) -> PythonName:
        if python in _TYPES_OF_MODELS:
            raise BadName(f'"{name}" is a type in Python: choose a fuller word, such as "{name}Value"')
        if python in _NAMES_OF_CHECKERS:
            raise BadName(f'"{name}" is taken by the type checks of generated code: choose another word')
        if python in _ATTRIBUTES_OF_MODELS:
            raise BadName(f'"{name}" is an attribute of every Pydantic class: choose another word')
        return cls(python)

    @classmethod
    def parameter(cls, name: str) -> PythonName:
        """Return the argument for a query, path or header parameter: ``X-Realm`` → ``x_realm``.

        What the function needs itself gets an underscore (``filter`` → ``filter_``); the wire name stays.
        """
        python = _snake(name)
        if not _SNAKE.fullmatch(python):
            raise BadName(
                f'"{name}" does not make a Python name: begin with a letter, then letters and digits'
            )
        return cls(f"{python}_" if _is_reserved(python) else python)

    @classmethod
    def function(cls, operation_id: str, *, whole: bool = False) -> PythonName:
        """``security_login`` → ``login``; the whole id when asked, or where ``login`` is a reserved word."""
        short = _snake(operation_id.rpartition("_")[2])
        chosen = _snake(operation_id) if whole or _is_reserved(short) else short
        return cls(f"{chosen}_" if _is_reserved(chosen) else chosen)


class ClassName(str):
    """The CamelCase name of a record, a structure or a nested object."""

    __slots__ = ()

    def __new__(cls, name: str) -> ClassName:
        if not _CLASS.fullmatch(name):
            raise _bad_spelling(name, "CamelCase", _camel(_spell_plainly(name)) or "Name")
        if len(name) > _LONGEST_CLASS:
            raise BadName(f'"{name[:20]}…" has {len(name)} characters: {_LONGEST_CLASS} are the most')
        if name in CLASSES_OF_GENERATED_CODE or hasattr(builtins, name):
            raise BadName(f'"{name}" is taken by generated code itself: choose a fuller word')
        module = _snake(name)
        if keyword.iskeyword(module) or module in _DEVICES_OF_WINDOWS:
            raise BadName(f'"{name}" would make a module {module}.py, which cannot be imported')
        return super().__new__(cls, name)

    @classmethod
    def nested(cls, owner: str, field: str) -> ClassName:
        """Return the class name of an object field: ``Shipment``, ``lines`` → ``ShipmentLine``."""
        name = owner + _camel(singular(field))
        if len(name) > _LONGEST_CLASS:
            what = f'the class of the object {field} would be "{name[:20]}…" of {len(name)} characters'
            raise BadName(f"{what}: {_LONGEST_CLASS} are the most; rename the field, or make it a structure")
        return cls(name)


class Constant(str):
    """An UPPER_CASE name of a record type or a state graph."""

    __slots__ = ()

    def __new__(cls, name: str) -> Constant:
        if not _UPPER.fullmatch(name):
            raise BadName(f'"{name}" does not make a constant: begin with a letter, then letters and digits')
        if name in _CONSTANTS_OF_GENERATED_CODE:
            raise BadName(f"the constant {name} is taken by generated code itself: choose another word")
        return super().__new__(cls, name)

    @classmethod
    def of(cls, name: str) -> Constant:
        """``CompletionTask`` and ``completionTask`` → ``COMPLETION_TASK``. Raises ``BadName``.

        A name in capitals is that of its class, hence ``SKU`` → ``SKU_TYPE``.
        """
        constant = _snake(name).upper()
        return cls(f"{constant}_TYPE" if constant == name else constant)


class FileName(str):
    """The name of a generated module, without ``.py``."""

    __slots__ = ()

    def __new__(cls, name: str) -> FileName:
        if not _SNAKE.fullmatch(name) or keyword.iskeyword(name) or name in _DEVICES_OF_WINDOWS:
            raise BadName(f'"{name}" would make a module {name}.py, which cannot be imported')
        return super().__new__(cls, name)

    @classmethod
    def of(cls, name: str) -> FileName:
        """``CompletionTask`` → ``completion_task``. Raises ``BadName``."""
        return cls(_snake(name))


AREA_RULE = "begin with a lower-case letter, then letters, digits and single dashes"
"""What the name of a functional area is like."""


def is_area(name: str) -> bool:
    """Whether a functional area, and its folder, can be called so."""
    return _AREA.fullmatch(name) is not None


def suggest_class_name(name: str) -> ClassName | None:
    """Return the name that a record, or a structure, was to have; None if that cannot be either."""
    try:
        found = ClassName(_camel(_spell_plainly(name)))
        Constant.of(found)
    except BadName:
        return None
    return found


def suggest_field_name(name: str) -> str:
    """Return the name that a field was to have."""
    return camel_case(_spell_plainly(name)) or "name"


def camel_case(name: str) -> str:
    """Write ``CompletionTask`` as ``completionTask``."""
    first, *rest = words(name) or ("",)
    return first + "".join(word.capitalize() for word in rest)


def kebab_case(name: str) -> str:
    """Write ``CompletionTask`` as ``completion-task``."""
    return "-".join(words(name))


def _bad_spelling(name: str, style: str, right: str) -> BadName:
    odd = find_odd_character(name)
    advice = f"it has the character {odd}; names have A to Z and digits" if odd else f'write "{right}"'
    return BadName(f'"{name}" is not {style}: {advice}')


def _is_reserved(name: str) -> bool:
    taken = keyword.iskeyword(name) or keyword.issoftkeyword(name) or hasattr(builtins, name)
    return taken or name in _NAMES_OF_ROUTERS


def _spell_plainly(name: str) -> str:
    """Write letters without their accents, for advice, and drop digits that a name cannot begin with."""
    apart = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    return "".join(one for one in apart if not unicodedata.combining(one)).lstrip(_DIGITS)


def _snake(name: str) -> str:
    return "_".join(words(name))


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
