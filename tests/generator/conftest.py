"""A folder of specs written for one test, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from generator.filters import filter_problem
from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.model import Model
from generator.problems import ProblemList
from generator.resolve import CheckFilter, resolve
from tests.memory import remember_pure_results

Files = Mapping[str, str]

SURROUNDINGS: Files = {
    "specs/service.yaml": 'title: Parcels\nversion: "1.0.0"\nroles: [clerk]\n',
    "specs/logistics/country.yaml": "record: Country\nfields:\n  name: string\n  union: {reference: Country}\n",
    "specs/logistics/address.yaml": "structure: Address\nfields:\n  street: string\n",
    "specs/logistics/parcel_lifecycle.yaml": (
        "stateGraph: parcelLifecycle\nstates:\n  NEW: {initial: true, next: [SENT]}\n  SENT: {final: true}\n"
    ),
}
"""What the files of a test may refer to: a record, a structure, a graph, a role."""


@pytest.fixture(scope="module", autouse=True)
def known_results() -> Iterator[None]:
    with remember_pure_results():
        yield


class Workshop:
    """Writes specs to a folder and runs load and resolve over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, files: Files) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def model(self, files: Files, check_filter: CheckFilter = filter_problem) -> Model:
        """The model of these files and their surroundings; raises ProblemList."""
        self.write({**SURROUNDINGS, **files})
        return resolve(load(self.folder / "specs"), check_filter)

    def problems(self, files: Files, check_filter: CheckFilter = filter_problem) -> list[str]:
        """The problems as lines of text."""
        try:
            self.model(files, check_filter)
        except ProblemList as found:
            return str(found).splitlines()
        return []


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def model_of(workshop: Workshop) -> Callable[..., Model]:
    """The model of one file at specs/logistics/example.yaml."""
    return lambda text, **more: workshop.model({"specs/logistics/example.yaml": text}, **more)


@pytest.fixture
def problems_of(workshop: Workshop) -> Callable[..., list[str]]:
    """What is wrong with one file at specs/logistics/example.yaml, without the name of the file."""
    name = "specs/logistics/example.yaml"
    return lambda text, **more: [
        line.removeprefix(f"{name}:") for line in workshop.problems({name: text}, **more)
    ]


SAMPLE = Path(__file__).parents[1] / "sample"


@pytest.fixture(scope="session")
def sample_model() -> Model:
    """The sample application, which uses every word of the language."""
    return resolve(load(SAMPLE / "specs", SYSTEM_SPECS))


@pytest.fixture(scope="module", autouse=True)
def quick_runs(uncollected: None) -> None:
    """Run the generator without a look at all its objects after each run: a sixth of the time."""
