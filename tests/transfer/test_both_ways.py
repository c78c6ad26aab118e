"""A file does the same, whether it is analysed and committed or imported at once."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.imports import RowsParameters
from runtime.model.record_type import RecordType
from runtime.transfer import commit_session, list_rows
from tests.properties import examples
from tests.transfer.stock import BIN, CLERK, Document, Stock

REFERENCES = {"Bin": "shelf", "Clerk": "boss"}
NAMES = ("k-1", "k-2", "k-3", "k-4", "k-5")
TARGETS = ("", "", "", "room-a1", *NAMES[:2], "nobody")
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*NAMES, ""]),
        st.sampled_from(["t", "t", "t", ""]),
        st.sampled_from(["A", "B", "C", "D", "", " "]),
        st.sampled_from(TARGETS),
    ).map(",".join)
    | st.sampled_from(["k-1", "k-2,t,A,,more"]),
    min_size=2,
    max_size=8,
    unique_by=lambda line: line.partition(",")[0] or object(),
)
THERE = st.dictionaries(st.sampled_from(NAMES), st.sampled_from("ABC"), min_size=1, max_size=3).filter(
    lambda found: len(set(found.values())) == len(found)
)


@pytest.mark.parametrize("kind", [BIN, CLERK], ids=lambda kind: kind.name)
@settings(max_examples=examples(60, nightly=2000))
@given(rows=ROWS, there=THERE)
def test_the_same_records_and_findings(
    stock: Stock, kind: RecordType[Any], rows: list[str], there: dict[str, str]
) -> None:
    """Whatever unique values rows share, and whichever of them fail."""
    columns, query = f"refName,title,code,{REFERENCES[kind.name]}.entityRefName", {"onlyErrors": "true"}
    stock.empty()
    for tenant in ("acme", "globex"):
        planted = ({"refName": name, "code": code, "title": "old"} for name, code in there.items())
        stock.plant(*planted, tenant=tenant, collection=kind.collection)
    content = "\n".join([columns, *rows]).encode()
    session = stock.analysed(columns, content, kind=kind)["sessionId"]
    done = orjson.loads(stock.run(commit_session, stock.call(), kind, session).body)
    asked = RowsParameters.model_validate_strings(query)
    wrong = orjson.loads(stock.run(list_rows, stock.call(), kind, session, asked).body)["rows"]
    direct = stock.imported(columns, content, "globex", kind)
    assert list(map(summarize, wrong)) == list(map(summarize, direct["rows"]))
    counts = [done[name] for name in ("inserted", "updated", "skipped", "failed")]
    assert counts == [direct[name] for name in ("insertCount", "updateCount", "skipCount", "failedCount")]
    assert read_records(stock, "acme", kind) == read_records(stock, "globex", kind)


def summarize(row: Document) -> tuple[Any, ...]:
    """What is said of a row that failed."""
    return row["rowNumber"], row.get("refName"), row["intent"], row["errors"]


def read_records(stock: Stock, tenant: str, kind: RecordType[Any]) -> list[tuple[str, ...]]:
    """What is stored, without the names that the service gave."""
    found = []
    for row in stock.documents[kind.collection].find({"dataDomain.tenantId": tenant}):
        name = "" if row["refName"] == str(row["_id"]) else row["refName"]
        target = (row.get(REFERENCES[kind.name]) or {}).get("entityRefName")
        found.append(tuple(map(str, (name, row.get("title"), row.get("code"), target, row["version"]))))
    return sorted(found)
