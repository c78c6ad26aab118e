"""``GET {basePath}/csv``: which rows and columns, how they are written, what is
refused, and what becomes of an export that is not finished."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import anyio
import anyio.lowlevel
import anyio.to_thread
import httpx2
import pytest
from starlette.types import Message

from runtime.errors import AccessError
from runtime.storage.store import batches
from runtime.transfer.csv.writer import RowWriter
from tests.http.one_call import plain_scope
from tests.http.test_csv_revoked import deny, log_out, remove
from tests.http.world import PATHS, Document, World
from tests.patience import wait_until

MANY = 3500


@pytest.fixture
def mark(world: World) -> str:
    """Three carriers of a name of their own, so that tests do not see each other's."""
    name = uuid4().hex[:8]
    for number, mode in enumerate(("AIR", "SEA", "ROAD")):
        world.make("Carrier", refName=f"{name}-{number}", name=name, mode=mode)
    return name


@pytest.fixture(scope="module")
def many(world: World) -> str:
    """More records than a batch, put straight into the store."""
    world.make("Carrier", refName="pattern", name="many")
    kept = world.documents["carriers"].find_one({"refName": "pattern"}) or {}
    kept.pop("_id")
    rows = [{**kept, "refName": f"many-{number:04}"} for number in range(1, MANY)]
    world.documents["carriers"].insert_many(rows)
    return "many"


def withhold_names(world: World, user: str) -> None:
    header = {
        "identity": f"user:{user}",
        "area": "logistics",
        "functionalDomain": "carrier",
        "action": "VIEW",
    }
    rule = {"name": f"withhold from {user}", "effect": "ALLOW", "priority": 50, "hiddenFields": ["name"]}
    answer = world.ask("POST /security/permission/rules", json=rule | {"securityURI": {"header": header}})
    assert answer.status_code == 201, answer.text


REVOKED: dict[str, Callable[[World, str], None]] = {
    "a logout": log_out, "a removed user": remove, "a rule": partial(deny, action="VIEW"),
    "a rule that withholds": withhold_names,
}  # fmt: skip


def let_two_hours_pass(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world.app.state.service.tokens, "clock", lambda: time.time() + 7200)


def asked(world: World, kind: str = "Carrier", caller: str | None = "acme", **query: Any) -> httpx2.Response:
    return world.ask(f"GET {PATHS[kind]}/csv", caller, params=query)


def rows(answer: httpx2.Response, charset: str = "utf-8", **how: Any) -> list[list[str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.reader(io.StringIO(answer.content.decode(charset), newline=""), strict=True, **how))


class TestWhatIsAsked:
    def test_by_default_it_is_the_ref_names_alone(self, world: World, mark: str) -> None:
        answer = asked(world, filter=f"name:{mark}", sort="refName")
        assert answer.content == f"{mark}-0\r\n{mark}-1\r\n{mark}-2\r\n".encode()
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.headers["content-disposition"] == 'attachment; filename="downloaded.csv"'
        assert answer.headers["cache-control"] == "private, no-cache"
        assert "content-length" not in answer.headers

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"sort": "-refName"}, ["2", "1", "0"]),
            ({"sort": "refName", "offset": "1"}, ["1", "2"]),
            ({"sort": "refName", "length": "2"}, ["0", "1"]),
            ({"sort": "refName", "offset": "1", "length": "1"}, ["1"]),
            ({"sort": "refName", "length": "-1"}, ["0", "1", "2"]),
            ({"length": "0"}, []),
            ({"offset": "3"}, []),
        ],
        ids=str,
    )
    def test_order_and_window(
        self, world: World, mark: str, query: dict[str, str], expected: list[str]
    ) -> None:
        found = rows(asked(world, filter=f"name:{mark}", **query))
        assert [row[0].removeprefix(f"{mark}-") for row in found] == expected

    def test_columns_stand_in_their_order_below_a_header(self, world: World, mark: str) -> None:
        query = {"requestedColumns": "mode,refName,dataDomain.tenantId", "prependHeaderRow": "true"}
        found = rows(asked(world, filter=f"name:{mark}", sort="refName", length="1", **query))
        assert found == [["mode", "refName", "dataDomain.tenantId"], ["AIR", f"{mark}-0", "acme"]]

    def test_names_of_columns_may_be_preferred_by_position(self, world: World) -> None:
        query = {"requestedColumns": "mode,refName,version", "prependHeaderRow": "true"}
        found = rows(asked(world, length="0", preferredColumnNames='"Mode, how",,', **query))
        assert found == [["Mode, how", "refName", "version"]]

    def test_a_preferred_name_is_not_run_either(self, world: World) -> None:
        query = {"prependHeaderRow": "true", "preferredColumnNames": "=1+1", "length": "0"}
        assert rows(asked(world, **query)) == [["'=1+1"]]

    def test_a_list_makes_a_row_of_each_item(self, world: World) -> None:
        product = world.ref("Product")
        items = [{"product": product, "quantity": number, "price": "12.90"} for number in (3, 4)]
        order = world.make("Order", items=items)
        columns = "refName,items[0].quantity,items[0].price,items[0].product.entityId"
        found = rows(asked(world, "Order", filter=f"id:{order['id']}", requestedColumns=columns))
        expected = [[order["refName"], number, "12.90", product["entityId"]] for number in ("3", "4")]
        assert found == expected

    def test_the_default_length_is_a_thousand(self, world: World, many: str) -> None:
        assert len(rows(asked(world, filter=f"name:{many}"))) == 1000

    def test_large_batches_are_written_a_stretch_at_a_time(
        self, world: World, many: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What holds the event loop: other requests wait for it (``Batches.convert``)."""
        sizes, write = list[int](), RowWriter.write

        def watch(writer: RowWriter, written: Sequence[Sequence[str]]) -> bytes:
            sizes.append(len(written))
            return write(writer, written)

        monkeypatch.setattr(RowWriter, "write", watch)
        monkeypatch.setattr(batches, "_AT_A_STRETCH", 2**10)
        assert len(rows(asked(world, filter=f"name:{many}", length="-1"))) == MANY
        assert max(sizes) < 100

    def test_all_of_many_batches_come_once_and_in_order(self, world: World, many: str) -> None:
        found = rows(asked(world, filter=f"name:{many}", sort="refName", length="-1"))
        assert [row[0] for row in found[:-1]] == [f"many-{number:04}" for number in range(1, MANY)]
        assert found[-1] == ["pattern"]


class TestHowItIsWritten:
    def test_separator_quotes_and_strategy(self, world: World, mark: str) -> None:
        query = {"fieldSeparator": ";", "quoteChar": "'", "quotingStrategy": "QUOTE_ALL_COLUMNS"}
        answer = asked(world, filter=f"refName:{mark}-0", requestedColumns="mode,name", **query)
        assert answer.text == f"'AIR';'{mark}'\r\n"

    @pytest.mark.parametrize(
        ("charset", "codec", "mark_bytes", "told"),
        [
            ("US-ASCII", "ascii", b"", "us-ascii"),
            ("UTF-8-without-BOM", "utf-8", b"", "utf-8"),
            ("UTF-8-with-BOM", "utf-8-sig", b"\xef\xbb\xbf", "utf-8"),
            ("UTF-16-with-BOM", "utf-16", b"\xff\xfe", "utf-16"),
            ("UTF-16BE", "utf-16-be", b"", "utf-16be"),
            ("UTF-16LE", "utf-16-le", b"", "utf-16le"),
            ("windows-1252", "cp1252", b"", "windows-1252"),
            ("ISO-8859-1", "latin-1", b"", "iso-8859-1"),
        ],
    )
    def test_character_sets(
        self, world: World, mark: str, charset: str, codec: str, mark_bytes: bytes, told: str
    ) -> None:
        name = {"ascii": "Sao Paulo", "cp1252": "São – 5 €", "latin-1": "São Paulo"}.get(codec, "São 😀")
        world.make("Carrier", refName=f"{mark}-x", name=name)
        query = {"filter": f"refName:{mark}-x", "requestedColumns": "name", "charsetEncoding": charset}
        answer = asked(world, **query)
        assert rows(answer, codec) == [[name]]
        assert answer.content.startswith(mark_bytes)
        assert answer.headers["content-type"] == f"text/csv; charset={told}"

    def test_texts_that_a_spreadsheet_would_run_are_guarded_unless_told(
        self, world: World, mark: str
    ) -> None:
        world.make("Carrier", refName=f"{mark}-f", name="=HYPERLINK(A1)")
        query = {"filter": f"refName:{mark}-f", "requestedColumns": "name"}
        assert rows(asked(world, **query)) == [["'=HYPERLINK(A1)"]]
        assert rows(asked(world, formulaGuard="false", **query)) == [["=HYPERLINK(A1)"]]

    def test_what_quotes_are_for_comes_through(self, world: World, mark: str) -> None:
        name = 'a,b "c"\r\nd;e'
        world.make("Carrier", refName=f"{mark}-q", name=name)
        assert rows(asked(world, filter=f"refName:{mark}-q", requestedColumns="name")) == [[name]]

    @pytest.mark.parametrize(
        ("filename", "header"),
        [
            ("carriers.csv", 'attachment; filename="carriers.csv"'),
            ("a b.csv", 'attachment; filename="a b.csv"'),
            ("../../etc/passwd", 'attachment; filename="_.._etc_passwd"'),
            ('x"; filename="y.exe', 'attachment; filename="x_; filename=_y.exe"'),
            ("a\r\nSet-Cookie: b", 'attachment; filename="a__Set-Cookie_ b"'),
            ("", 'attachment; filename="downloaded.csv"'),
            ("São.csv", "attachment; filename=\"S_o.csv\"; filename*=UTF-8''S%C3%A3o.csv"),
            ("\u202egpj.csv", 'attachment; filename="_gpj.csv"'),
        ],
    )
    def test_the_name_of_the_file_is_safe(self, world: World, filename: str, header: str) -> None:
        assert asked(world, filename=filename, length="0").headers["content-disposition"] == header


class TestWhoMaySeeWhat:
    def test_another_tenant_exports_nothing_of_it(self, world: World, mark: str) -> None:
        assert rows(asked(world, caller="globex", filter=f"name:{mark}")) == []

    def test_without_a_token(self, world: World) -> None:
        answer = asked(world, caller=None)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"

    def test_without_a_role(self, world: World) -> None:
        assert asked(world, caller="acme-nobody").status_code == 403

    def test_archived_records_are_left_out_as_in_lists(self, world: World) -> None:
        kind, record = "Customer", world.make("Customer")
        assert world.ask(f"DELETE {PATHS[kind]}/id/{record['id']}").status_code == 204
        listed = world.ask(f"GET {PATHS[kind]}/list", params={"filter": f"id:{record['id']}"}).json()
        found = rows(asked(world, kind, filter=f"id:{record['id']}"))
        assert len(found) == len(listed["rows"])


class TestRefusals:
    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ({"columns": "x"}, "unknown parameter columns"),
            ({"requestedColumns": "nam"}, "did you mean name"),
            ({"requestedColumns": ""}, "names between commas"),
            ({"requestedColumns": "refName,refName"}, "is named twice"),
            ({"fieldSeparator": ""}, "fieldSeparator"),
            ({"fieldSeparator": "ab"}, "fieldSeparator"),
            ({"fieldSeparator": '"'}, "must differ"),
            ({"fieldSeparator": "\n"}, "U+000A"),
            ({"quoteChar": "''"}, "quoteChar"),
            ({"quotingStrategy": "QUOTE_NONE"}, "quotingStrategy"),
            ({"charsetEncoding": "UTF-8"}, "charsetEncoding"),
            ({"decimalSeparator": ",,"}, "decimalSeparator"),
            ({"offset": "-1"}, "offset"),
            ({"length": "-2"}, "length"),
            ({"length": "1e3"}, "length"),
            ({"prependHeaderRow": "yes"}, "prependHeaderRow"),
            ({"preferredColumnNames": "a,b"}, "2 names for 1 column"),
            ({"preferredColumnNames": '"a'}, "comma-separated list"),
            ({"filter": "name:"}, "filter"),
            ({"filter": "nam:x"}, "did you mean name"),
            ({"sort": "nam"}, "did you mean name"),
            ({"charsetEncoding": "US-ASCII", "preferredColumnNames": "Ä", "prependHeaderRow": "true"}, "US-ASCII has no Ä"),
        ],
        ids=str,
    )  # fmt: skip
    def test_are_one_line_of_text(self, world: World, query: dict[str, str], says: str) -> None:
        answer = asked(world, **query)
        assert answer.status_code == 400, answer.text
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert "content-disposition" not in answer.headers
        assert says in answer.text
        assert len(answer.text.splitlines()) == 1

    def test_a_parameter_that_comes_twice(self, world: World) -> None:
        answer = world.ask(f"GET {PATHS['Carrier']}/csv?length=1&length=2")
        assert (answer.status_code, answer.text) == (400, "length came more than once; send it once")

    def test_a_character_that_the_set_lacks_is_named_with_its_place(self, world: World, mark: str) -> None:
        world.make("Carrier", refName=f"{mark}-z", name="São Paulo")
        query = {"requestedColumns": "refName,name", "charsetEncoding": "US-ASCII"}
        answer = asked(world, filter=f"refName:{mark}*", sort="refName", **query)
        assert answer.status_code == 400
        assert answer.text.startswith("row 4, name: US-ASCII has no ã (U+00E3)")

    def test_a_fault_of_ours_is_one_line_too(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_arguments: Any, **_options: Any) -> Any:
            raise RuntimeError("secret")

        monkeypatch.setattr(type(world.app.state.service.store), "stream", broken)
        answer = asked(world)
        assert (answer.status_code, answer.text) == (500, "an internal fault; it was logged")
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"


class TestWhatIsNotFinished:
    def test_a_receiver_that_goes_away_ends_the_work(self, world: World, many: str) -> None:
        sent = self.export(world, leaves_after=1)
        assert sum(message["body"].count(b"\r\n") for message in sent[1:]) < MANY
        assert sent[-1]["more_body"]
        wait_until(lambda: not self.open_cursors(world))

    def test_a_whole_one_ends_with_its_mark(self, world: World, many: str) -> None:
        sent = self.export(world, leaves_after=MANY)
        assert [message["status"] for message in sent[:1]] == [200]
        assert sum(message["body"].count(b"\r\n") for message in sent[1:]) == MANY
        assert not sent[-1].get("more_body")
        assert self.open_cursors(world) == 0

    def test_a_fault_on_the_way_breaks_it_off_without_the_mark(self, world: World, many: str) -> None:
        """A record of the last batch has a name that the character set lacks."""
        last = {"refName": "pattern"}
        world.documents["carriers"].update_one(last, {"$set": {"displayName": "é"}})
        query = "&requestedColumns=displayName&charsetEncoding=US-ASCII"
        sent: list[Message] = []
        with pytest.raises(Exception, match="US-ASCII has no é"):
            self.export(world, query, leaves_after=MANY, sent=sent)
        world.documents["carriers"].update_one(last, {"$set": {"displayName": "e"}})
        assert sent[0]["status"] == 200
        assert all(message["more_body"] for message in sent[1:])
        assert self.open_cursors(world) == 0

    def test_the_first_bytes_do_not_wait_for_the_last(self, world: World, many: str) -> None:
        sent = self.export(world, leaves_after=MANY)
        assert sent[1]["body"].count(b"\r\n") == 1200

    @pytest.mark.parametrize("revoke", REVOKED.values(), ids=REVOKED)
    def test_it_is_broken_off_when_its_caller_may_not_view_that_any_more(
        self, world: World, many: str, user: str, revoke: Callable[[World, str], None]
    ) -> None:
        sent: list[Message] = []
        with pytest.raises(AccessError):
            self.export(
                world, leaves_after=MANY, sent=sent, caller=user, between=partial(revoke, world, user)
            )
        assert len(sent) == 2, "nothing is sent after the first batch"
        assert self.open_cursors(world) == 0

    def test_it_goes_on_when_rules_change_that_are_not_about_it(
        self, world: World, many: str, user: str
    ) -> None:
        sent = self.export(world, leaves_after=MANY, caller=user, between=partial(deny, world, user))
        assert sum(message["body"].count(b"\r\n") for message in sent[1:]) == MANY
        assert not sent[-1].get("more_body")

    def test_it_goes_on_when_its_token_ends_by_its_own_time(
        self, world: World, many: str, user: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def end_token() -> None:
            let_two_hours_pass(world, monkeypatch)
            assert world.ask("GET /logistics/carriers/list", user).status_code == 401

        sent = self.export(world, leaves_after=MANY, caller=user, between=end_token)
        assert sum(message["body"].count(b"\r\n") for message in sent[1:]) == MANY

    @pytest.mark.parametrize("revoke", REVOKED.values(), ids=REVOKED)
    def test_what_happens_after_the_time_of_its_token_breaks_it_off(
        self, world: World, many: str, user: str, revoke: Callable[[World, str], None],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        def end_both() -> None:
            revoke(world, user)
            let_two_hours_pass(world, monkeypatch)

        sent: list[Message] = []
        with pytest.raises(AccessError):
            self.export(world, leaves_after=MANY, sent=sent, caller=user, between=end_both)
        assert len(sent) == 2, "nothing is sent after the first batch"

    @staticmethod
    def export(
        world: World,
        query: str = "",
        *,
        leaves_after: int,
        sent: list[Message] | None = None,
        caller: str = "acme",
        between: Callable[[], None] = lambda: None,
    ) -> list[Message]:
        """What the application sends to a receiver that leaves after some bodies.

        ``between`` happens after the first of them.
        """
        kept: list[Message] = [] if sent is None else sent

        async def ask() -> None:
            gone, first = anyio.Event(), True
            text = f"filter=name:many&sort=refName&length=-1{query}"
            scope = plain_scope("GET", f"{PATHS['Carrier']}/csv", text.encode(), world.headers(caller))

            async def receive() -> Message:
                nonlocal first
                if first:
                    first = False
                    return {"type": "http.request", "body": b"", "more_body": False}
                await gone.wait()
                return {"type": "http.disconnect"}

            async def send(message: Message) -> None:
                kept.append(message)
                if len(kept) == 2:
                    await anyio.to_thread.run_sync(between)
                if len(kept) > leaves_after:
                    gone.set()
                    await anyio.lowlevel.checkpoint()

            await world.app(scope, receive, send)

        assert world.client.portal is not None
        world.client.portal.call(ask)
        return kept

    @staticmethod
    def open_cursors(world: World) -> int:
        """Those of this realm, by the store's own count."""
        ask = [{"$currentOp": {"idleCursors": True, "allUsers": True, "localOps": True}}]
        found: list[Document] = list(world.documents.client.admin.aggregate(ask))
        return sum(one.get("ns") == f"{world.realm}.carriers" and "cursor" in one for one in found)
