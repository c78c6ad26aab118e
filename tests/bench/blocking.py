"""How long a body of an allowed size holds the event loop, for a table of nasty ones; the worst come first.

``python tests/bench/blocking.py [--only WORDS] [--rounds N]``. The application is the sample of the tests, in
this process; times are processor time of the loop's thread, the median of the rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "sample")]

import uvloop  # noqa: E402

from runtime.cli.worker import settle  # noqa: E402
from runtime.identity.users.users import NewUser, create_user  # noqa: E402
from runtime.settings import Settings  # noqa: E402
from runtime.storage.embedded import run_embedded  # noqa: E402
from sample_generated.app import create  # noqa: E402
from tests.http.blocking import ask, longest_block  # noqa: E402
from tests.http.nasty_bodies import Nasty, nasty_bodies  # noqa: E402

GOAL = 0.050
PASSWORD = "a long enough password for a bench"


def main() -> int:
    """Measure, print; 1 where a body holds the loop longer than the goal."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="bodies whose name has these words")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recordsmith-blocking-") as name, run_embedded(Path(name)) as uri:
        return uvloop.run(_measure(uri, Path(name), options.only, options.rounds))


async def _measure(uri: str, folder: Path, only: str, rounds: int) -> int:
    app = create(
        Settings.read(
            {},
            mongodb_uri=uri,
            data_folder=folder,
            environment="development",
            log_level="ERROR",
            bcrypt_cost=4,
        )
    )
    rows = []
    async with app.router.lifespan_context(app):
        token, maker = await signed_in(app)
        settle()
        for nasty in nasty_bodies():
            if only in nasty.name:
                rows.append(await _row(app, nasty, token, maker, rounds))
    rows.sort(reverse=True)
    for seconds, status, name in rows:
        print(f"{seconds * 1000:8.1f} ms  {status}  {name}")
    return int(any(seconds > GOAL for seconds, _status, _name in rows))


async def _row(app: Any, nasty: Nasty, token: str, maker: str, rounds: int) -> tuple[float, int, str]:
    times, status = [], 0
    for _ in range(rounds):
        task = asyncio.ensure_future(ask(app, nasty, token, maker))
        times.append(await longest_block(task))
        status = task.result()
        gc.collect()
    return median(times), status, nasty.name


async def signed_in(app: Any) -> tuple[str, str]:
    """A token, and the id of a stored Maker."""
    service = app.state.service
    user = NewUser("admin@acme.example", PASSWORD, "acme", frozenset({"system", "admin", "clerk"}))
    await create_user(service, user)
    logged_in = await service.provider.log_in(user.user_id, PASSWORD, service.settings.default_realm, "")
    made = await _make_maker(app, logged_in.access_token)
    return logged_in.access_token, made


async def _make_maker(app: Any, token: str) -> str:
    import httpx2

    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as client:
        answer = await client.post(
            "/shop/who/makers", json={"name": "Lux"}, headers={"Authorization": f"Bearer {token}"}
        )
        made: str = answer.raise_for_status().json()["id"]
        return made


if __name__ == "__main__":
    sys.exit(main())
