"""How many errors of one row are reported: all that a person reads, however wrong the row is."""

from __future__ import annotations

import pytest

from runtime.contract.imports import RowCode
from runtime.transfer.rows.row_error import MOST_ERRORS, RowError, RowErrors, limit_errors
from runtime.transfer.rows.row_report import render_report
from runtime.transfer.rows.rows import Failed, InputRow


def errors(count: int) -> list[RowError]:
    return [RowError(RowCode.PARSE, f"error {number}", f"field{number}") for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, MOST_ERRORS - 1, MOST_ERRORS])
def test_errors_that_fit_are_reported_as_they_are(count: int) -> None:
    found = RowErrors()
    for error in errors(count):
        found.add(error)
    assert found.finish() == limit_errors(errors(count)) == tuple(errors(count))
    assert len(found) == count


@pytest.mark.parametrize("more", [1, 2, 5000])
def test_a_last_error_counts_those_that_do_not_fit(more: int) -> None:
    found = RowErrors()
    found.extend(errors(MOST_ERRORS + more))
    reported = found.finish()
    assert (len(found), len(reported)) == (MOST_ERRORS + more, MOST_ERRORS)
    assert reported[:-1] == tuple(errors(MOST_ERRORS - 1))
    assert (reported[-1].code, reported[-1].field) == (RowCode.PARSE, None)
    assert reported[-1].message == f"{more + 1} more errors of this row are not shown"
    assert limit_errors(reported) == limit_errors(errors(MOST_ERRORS + more)) == reported


def test_no_more_are_stored_while_a_row_is_read() -> None:
    found = RowErrors()
    found.extend(errors(MOST_ERRORS * 50))
    assert len(found.shown) == MOST_ERRORS


def test_a_row_to_review_stays_one_if_the_error_that_says_so_is_not_shown() -> None:
    last = RowError(RowCode.DUPLICATE, "twice", depends_on_file=True)
    assert limit_errors([*errors(MOST_ERRORS), last])[-1].depends_on_file
    assert not limit_errors(errors(MOST_ERRORS + 1))[-1].depends_on_file


def test_a_report_shows_no_more_whatever_found_them() -> None:
    report = render_report(Failed(InputRow(1, {}), errors(MOST_ERRORS * 3)))
    assert len(report["errors"]) == MOST_ERRORS
    assert report["errors"][-1] == {
        "code": "PARSE",
        "message": f"{MOST_ERRORS * 2 + 1} more errors of this row are not shown",
    }
