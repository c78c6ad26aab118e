"""New specifications: a commented file that passes every check, to be changed into what is meant."""

from __future__ import annotations

from pathlib import Path

from generator.english import article, plural, words
from generator.naming import ClassName, FileName, camel_case, kebab_case

_RECORD = """\
# yaml-language-server: $schema=../.schema/record.json
record: {name}
description: {a} {phrase}.
# path: /{area}/{path}             # default: /<area>/<plural>
# display: "{{refName}}: {{title}}"      # makes displayName when none is sent
# roles: [user, admin]                # who may call its routes
# onDelete: archive                   # default: remove
fields:
  title:    {{type: string, required: true, maxLength: 200, example: A first one}}
  # kinds:  string text integer number decimal boolean date datetime objectId json
  # amount: {{type: decimal, minimum: 0, description: What it costs.}}
  # colour: {{enum: [RED, GREEN]}}
  # owner:  {{reference: Customer, required: true}}
  # status: {{states: someLifecycle}}
  # lines:
  #   list:
  #     sku:      {{type: string, required: true}}
  #     quantity: {{type: integer, minimum: 1}}
# indexes:
#   - [title]
# endpoints: [list, count, id, save]  # default: standard, all of them
"""

_GRAPH = """\
# yaml-language-server: $schema=../.schema/stateGraph.json
stateGraph: {name}
description: Where it may start and go.
# A field takes it with: status: {{states: {name}}}
states:
  NEW:       {{initial: true, next: [ACTIVE, CANCELLED]}}   # a record may start here
  ACTIVE:    {{next: [DONE, CANCELLED]}}
  DONE:      {{final: true}}                                # no way on
  CANCELLED: {{final: true}}
"""


def new_record(specs: Path, area: str, name: str) -> Path:
    """Write ``specs/<area>/<name>.yaml``. Raises ``BadName`` or ``FileExistsError``."""
    record = ClassName(name)
    phrase = " ".join(words(record))
    text = _RECORD.format(
        name=record, area=area, phrase=phrase, a=article(phrase).capitalize(), path=kebab_case(plural(phrase))
    )
    return _write(specs / area / f"{FileName.of(record)}.yaml", text)


def new_graph(specs: Path, area: str, name: str) -> Path:
    """Write ``specs/<area>/<name>.yaml``. Raises ``BadName`` or ``FileExistsError``."""
    graph = camel_case(name)
    return _write(specs / area / f"{FileName.of(graph)}.yaml", _GRAPH.format(name=graph))


def _write(file: Path, text: str) -> Path:
    """Never over a file that is there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return file
