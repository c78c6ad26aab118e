"""Reading YAML files into ``Specs``. The first key of a file decides its kind."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from generator.cache import TextCache
from generator.folders import SERVICE_FILE
from generator.load.corrected import correct_keys
from generator.load.explain import explain, explain_empty, list_empty
from generator.load.files import decode, escape_unprintable, find_files, read_bytes
from generator.load.sound import find_unsound_parts, list_omitted_fields, list_omitted_words, omit_parts
from generator.load.trees import Tree, parse_tree, store_tree
from generator.naming import AREA_RULE, is_area
from generator.problems import Place, Problem
from generator.runtime_names import RUNTIME
from generator.spec import (
    BREAKING_KIND,
    KINDS,
    NO_SERVICE,
    SERVICE_KIND,
    SPECS,
    BreakingSpec,
    Document,
    ServiceSpec,
    Spec,
    Specs,
)

_VALUE = r"[\"']?[ ]*:[ ]*[\"']?(\w[^\"'#\r\n]*)?"
_FIRST_KEY = re.compile(rf"^ *[\"']?([^\s#\"':]+){_VALUE}", re.MULTILINE)
_FORBIDDEN = re.compile(r"^ *\t|[\x00-\x08\x0b-\x1f\x7f]", re.MULTILINE)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NO_NAMES = frozenset({"null", "true", "false", "yes", "no", "on", "off"})
_UNKNOWN_TEXT = "?"
_BREAKING_FILE = "breaking.yaml"
_NAMED = re.compile(rf"^[\"']?(record|extend|structure|stateGraph|importProfile){_VALUE}", re.MULTILINE)
_MEMBERS = {
    "record": "records",
    "extend": "extensions",
    "structure": "structures",
    "stateGraph": "graphs",
    "importProfile": "import_profiles",
    "ontology": "ontologies",
}

_SYSTEM_ROOT = f"{RUNTIME.replace('.', '/')}/system/specs"


class Loader:
    """What has been read of the specifications: documents by kind, and problems."""

    def __init__(self, folder: Path, texts: TextCache | None) -> None:
        self.folder = folder
        self.texts = texts
        self.values: Mapping[str, str] = {}
        self.root = folder.resolve().name
        self.problems: list[Problem] = []
        self.service: Document[ServiceSpec] | None = None
        self.breaking: Document[BreakingSpec] | None = None
        self.system = NO_SERVICE
        self.is_system = False
        self.saw_service = False
        self.documents: dict[str, list[Document[Any]]] = defaultdict(list)
        self.broken: dict[str, set[str]] = defaultdict(set)

    def load_system(self, folder: Path) -> None:
        """Load the files of the service itself, before those of the team."""
        team, self.folder, self.root, self.is_system = (self.folder, self.root), folder, _SYSTEM_ROOT, True
        self.read(find_files(folder))
        self.system = self.service.spec if self.service else NO_SERVICE
        (self.folder, self.root), self.is_system = team, False
        self.service, self.saw_service = None, False

    def specs(self) -> Specs:
        """Return what was read; a missing file of the service is a problem."""
        if not self.saw_service:
            message = f"no {SERVICE_FILE}: it gives the title and the version of the service"
            self._report(Place(f"{self.root}/{SERVICE_FILE}"), "SPEC017", message)
        members = {_MEMBERS.get(kind, kind): tuple(found) for kind, found in self.documents.items()}
        return Specs(
            root=self.root,
            service=self.service,
            breaking=self.breaking,
            system=self.system,
            problems=tuple(self.problems),
            broken={kind: frozenset(names) for kind, names in self.broken.items()},
            **members,
        )

    def read(self, files: Iterable[Path]) -> None:
        for path in files:
            self._read_file(path)

    def _read_file(self, path: Path) -> None:
        relative = path.relative_to(self.folder)
        name = f"{self.root}/{relative.as_posix()}"
        shown = escape_unprintable(name)
        if shown != name:
            message = "rename it or its folder: use printable characters, in UTF-8"
            self._find_misplaced(path, shown, "SPEC010", message)
        elif path.suffix != ".yaml":
            message = f'rename it to "{path.stem}.yaml": only .yaml files are read'
            self._find_misplaced(path, shown, "SPEC010", message)
        elif relative.parent == Path() and path.name == SERVICE_FILE:
            self.saw_service = True
            self.service = self._read_document(path, shown, "", SERVICE_KIND)
        elif relative.parent == Path() and path.name == _BREAKING_FILE:
            self.breaking = self._read_document(path, shown, "", BREAKING_KIND)
        elif relative.parent == Path():
            message = "put it in a folder: the folder is its functional area"
            self._find_misplaced(path, shown, "SPEC016", message)
        elif not is_area(area := relative.parent.name):
            message = f'the folder "{area}" is not a functional area: {AREA_RULE}'
            self._find_misplaced(path, shown, "SPEC016", message)
        else:
            self._read_document(path, shown, area, None)

    def _find_misplaced(self, path: Path, shown: str, rule: str, message: str) -> None:
        self._mark_broken(self._read_text(path, shown))
        self._report(Place(shown), rule, message)

    def _report(self, place: Place, rule: str, message: str) -> None:
        self.problems.append(Problem.at(place, rule, message))

    def _read_document(self, path: Path, shown: str, area: str, kind: str | None) -> Document[Any] | None:
        before = len(self.problems)
        text = self._read_text(path, shown)
        tree = self._parse_tree(text, shown, kind) if len(self.problems) == before else None
        found = self.problems[before:]
        if tree:
            tree, kind, misspelt = correct_keys(tree, kind)
            self.problems += misspelt
        judged = len(self.problems)
        document = self._validate(tree, area, kind) if tree and kind else None
        if document is None or len(self.problems) > before:
            found += self.problems[judged:]
            document = self._build_sound(tree, area, kind, found) if tree and kind else None
            if kind in KINDS or (document is None and kind != BREAKING_KIND):  # others name what it declares
                self._mark_broken(text)
        elif tree and self.texts:
            store_tree(tree, self.texts)
        if document and kind and kind in KINDS:
            self.documents[kind].append(document)
        return document

    def _read_text(self, path: Path, shown: str) -> str:
        """Read the text of a file. If it cannot be read, report why and return a placeholder text."""
        try:
            content = read_bytes(path)
        except (OSError, ValueError) as error:
            message = error.strerror or "unreadable" if isinstance(error, OSError) else str(error)
            self._report(Place(shown), "SPEC002", message)
            return _UNKNOWN_TEXT
        try:
            text = decode(content)
        except UnicodeError:
            self._report(Place(shown), "SPEC002", "not UTF-8 text: save it as UTF-8")
            return content.decode("utf-16" if content.startswith(_UTF16_MARKS) else "latin-1", "replace")
        if (found := _FORBIDDEN.search(text)) is not None:
            line, begin = text.count("\n", 0, found.start()) + 1, text.rfind("\n", 0, found.end() - 1) + 1
            place = Place(shown, line, found.end() - begin)
            if found[0].endswith("\t"):
                self._report(place, "SPEC005", "a tab in the indentation: use spaces")
            else:
                advice = "save the file with line feeds" if found[0] == "\r" else "write an escape in quotes"
                message = f"the control character {found[0]!r}: {advice}"
                self._report(place, "SPEC001", message)
        return text

    def _parse_tree(self, text: str, shown: str, kind: str | None) -> Tree | None:
        tree, problems = parse_tree(text, shown, kind, self.texts, self.values)
        self.problems += problems
        return tree

    def _validate(self, tree: Tree, area: str, kind: str) -> Document[Any] | None:
        document = self._build_document(tree, area, kind)
        is_right = tree.is_known or self._is_right(document, tree, SPECS[kind])
        return document if is_right else None

    def _build_document(self, tree: Tree, area: str, kind: str) -> Document[Any]:
        name = tree.plain.get(kind) if isinstance(tree.plain, dict) else None
        return Document(
            area=area,
            source=tree.file,
            name=name if isinstance(name, str) else "",
            build=partial(SPECS[kind].model_validate, tree.plain),
            at=tree,
            is_system=self.is_system,
            digest=tree.digest,
        )

    def _build_sound(self, tree: Tree, area: str, kind: str, problems: list[Problem]) -> Document[Any] | None:
        """Let the other parts of a file with problems be checked, with the files that have none."""
        paths = find_unsound_parts(tree.root, kind, problems)
        if paths is None:
            return None
        document = self._build_document(omit_parts(tree, kind, paths), area, kind)
        omitted, words = list_omitted_fields(kind, paths), list_omitted_words(kind, paths)
        document = replace(document, omitted=omitted, omitted_words=words)
        with suppress(ValidationError):
            _built = document.spec
            return document
        return None

    def _is_right(self, document: Document[Any], tree: Tree, spec: type[Spec]) -> bool:
        """Report what is wrong with the words and the shape of a file."""
        empty = {tree.value(*path): path for path in list_empty(tree.plain)}
        lines = tree.text.split("\n")
        for path in empty.values():
            place = tree.key(*path)
            self._report(place, "SPEC018", explain_empty(path, lines[place.line - 1]))
        try:
            _built = document.spec
        except ValidationError as error:
            at = {(one.line, one.column) for one in empty}
            at |= {(one.line, one.column) for one in self.problems if one.file == tree.file}
            found = explain(error, spec, tree, tree.plain)
            self.problems += [one for one in found if (one.line, one.column) not in at]
            return False
        return not empty

    def _mark_broken(self, text: str) -> None:
        """Record what an unreadable file was to declare, so that references to it are not reported as well.

        A misspelt first key, or an empty file, may mean any kind.
        """
        first = _FIRST_KEY.search(text)
        declared = first if first and first[1] in KINDS else _NAMED.search(text)
        if declared:
            name = (declared[2] or "*").strip()
            self.broken[declared[1]].add("*" if name in _NO_NAMES else name)
        else:
            self.broken["*"].add(((first and first[2]) or "*").strip())
