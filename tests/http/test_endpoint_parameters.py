"""Parameters of hand-written endpoints: lists by repeating a name, numbers and switches as JSON writes them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from fastapi import FastAPI, Header, Path, Query
from pydantic import Field
from starlette.testclient import TestClient

from runtime.http import Json, RecordRouter
from runtime.http.dispatch import Dispatch, RouteTable
from runtime.http.problem_response import handle_problems
from runtime.model.scalars import LocalDate
from runtime.storage.wire import to_json

Size = Literal["SMALL", "LARGE"]

router = RecordRouter(area="stock")


@router.get("/things/{number}")
async def find_things(
    number: Annotated[int, Field(ge=-5), Path(alias="number")],
    sizes: Annotated[list[Size] | None, Field(max_length=2), Query(alias="sizes")] = None,
    days: Annotated[list[LocalDate] | None, Query(alias="days")] = None,
    counts: Annotated[list[int] | None, Query(alias="counts")] = None,
    ratio: Annotated[float | None, Query(alias="ratio")] = None,
    all_: Annotated[bool, Query(alias="all")] = False,
    x_loud: Annotated[bool | None, Header(alias="X-Loud")] = None,
) -> Json[list[Any]]:
    """Return what was read."""
    values = [number, sizes, days and [str(day) for day in days], counts, ratio, all_, x_loud]
    return Json(to_json(values))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    application = FastAPI(redirect_slashes=False)
    application.state.service = SimpleNamespace(settings=None)
    handle_problems(application)
    application.add_middleware(Dispatch, outer=application, table=RouteTable([router]))
    with TestClient(application) as found:
        yield found


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("1", [1, None, None, None, None, False, None]),
        ("-5?all=true", [-5, None, None, None, None, True, None]),
        ("1?sizes=SMALL", [1, ["SMALL"], None, None, None, False, None]),
        ("1?sizes=SMALL&all=false&sizes=LARGE", [1, ["SMALL", "LARGE"], None, None, None, False, None]),
        (
            "1?days=2026-03-27&days=2024-02-29",
            [1, None, ["2026-03-27", "2024-02-29"], None, None, False, None],
        ),
        ("1?counts=-0&counts=7", [1, None, None, [0, 7], None, False, None]),
        ("1?ratio=-1.5e2", [1, None, None, None, -150.0, False, None]),
        ("9223372036854775807", [9223372036854775807, None, None, None, None, False, None]),
    ],
)
def test_a_parameter_is_read(asked: str, read: list[Any], client: TestClient) -> None:
    assert client.get(f"/things/{asked}").json() == read


@pytest.mark.parametrize(
    ("asked", "parameter"),
    [
        *((text, "number") for text in ("1.0", "1_0", "%201", "+1", "9223372036854775808", "-6", "%D9%A1")),
        *((f"1?all={text}", "all") for text in ("", "1", "yes", "on", "TRUE", "t")),
        *((f"1?ratio={text}", "ratio") for text in ("", "1_0", "nan", "inf", "1e400", "%201", ".5")),
        *((f"1?counts={text}", "counts") for text in ("", "1.0", "1&counts=x", "1,2")),
        ("1?sizes=SMALL,LARGE", "sizes"),
        ("1?sizes=[%22SMALL%22]", "sizes"),
        ("1?sizes=SMALL&sizes=SMALL&sizes=LARGE", "sizes"),
        ("1?days=20260327", "days"),
        ("1?all=true&all=true", "all"),
    ],
)
def test_text_that_json_would_write_otherwise_is_refused(
    asked: str, parameter: str, client: TestClient
) -> None:
    answer = client.get(f"/things/{asked}")
    assert (answer.status_code, answer.json()["parameter"]) == (400, parameter)
    assert answer.json()["detail"].startswith(parameter)


@pytest.mark.parametrize(("text", "status"), [("true", 200), ("1", 400), ("", 400)])
def test_headers_are_read_as_exactly(text: str, status: int, client: TestClient) -> None:
    assert client.get("/things/1", headers={"X-Loud": text}).status_code == status
