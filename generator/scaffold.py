"""New specifications: a commented file that passes every check, to be changed into what is meant."""

from pathlib import Path
from string import Template

from generator.english import article, plural, words
from generator.files import create_file
from generator.naming import AREA_RULE, BadName, ClassName, FileName, camel_case, is_area, kebab_case

_TEMPLATES = Path(__file__).parent / "templates"


def write_record(specs: Path, area: str, name: str) -> Path:
    """Write ``specs/<area>/<name>.yaml``. Raises ``BadName`` or ``FileExistsError``."""
    _check_area(area)
    record = ClassName(name)
    phrase = " ".join(words(record))
    a, path = article(phrase).capitalize(), kebab_case(plural(phrase))
    file = specs / area / f"{FileName.of(record)}.yaml"
    create_file(file, _fill("new_record", name=record, area=area, phrase=phrase, a=a, path=path))
    return file


def write_graph(specs: Path, area: str, name: str) -> Path:
    """Write ``specs/<area>/<name>.yaml``. Raises ``BadName`` or ``FileExistsError``."""
    _check_area(area)
    graph = camel_case(name)
    file = specs / area / f"{FileName.of(graph)}.yaml"
    create_file(file, _fill("new_graph", name=graph))
    return file


def _check_area(area: str) -> None:
    """Raise ``BadName`` for a folder whose files every check would refuse, or that no check reads."""
    if not is_area(folder := Path(area).name):
        advice = kebab_case(folder)
        written = f'write "{advice}"' if is_area(advice) else AREA_RULE
        raise BadName(f'"{area}" is not a functional area: {written}')
    if Path(area).is_absolute() or ".." in Path(area).parts:
        raise BadName(f'"{area}" leads out of the specifications: write "{folder}"')


def _fill(template: str, **values: str) -> str:
    return Template((_TEMPLATES / f"{template}.template").read_text("utf-8")).substitute(values)
