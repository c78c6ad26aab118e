"""What ``doctor`` looks at in the store: server, user, clock, and the short way to it."""

import math

from runtime.cli.findings import Check, Status
from runtime.settings import Settings
from runtime.storage.embedded import read_server_facts
from runtime.storage.opening import open_store

_OLDEST_SERVER = 6
_USUAL_TRANSACTION, _LONGEST_TRANSACTION = 10, 30  # seconds
_MOST_SECONDS_APART = 1


def check_server(settings: Settings) -> Check:
    """Check what the server says of itself, and whether its user has all privileges."""
    uri = settings.mongodb_uri.get_secret_value() if settings.mongodb_uri else ""
    facts = read_server_facts(uri, settings.mongodb_timeout_ms)
    said = f"MongoDB {facts.version}, {facts.topology}"
    if not facts.transactions:
        advice = "use a replica set or a sharded cluster of MongoDB 7 or 8"
        return Check("store", Status.FAIL, f"{said}: no transactions", advice)
    if int(facts.version.split(".")[0]) < _OLDEST_SERVER:
        return Check("store", Status.FAIL, said, "use MongoDB 7 or 8")
    if facts.missing:
        lacking = f"{said}: its user may not {', '.join(facts.missing)} in every database"
        return Check("store", Status.WARN, lacking, "grant it readWriteAnyDatabase and dbAdminAnyDatabase")
    if abs(facts.seconds_ahead) > _MOST_SECONDS_APART:
        return describe_clock(said, facts.seconds_ahead)
    least = math.ceil(2 * settings.mongodb_timeout_ms / 1000)
    return lifetime(f"{said}, with transactions", facts.transaction_seconds, least)


async def check_lane(settings: Settings) -> Check:
    """Whether store commands go the short way."""
    if not settings.mongodb_lane:
        return Check("lane", Status.OK, "off, as mongodb.lane says: commands take all of the driver")
    async with open_store(settings) as store:
        if (obstacle := store.lane_obstacle) is None:
            return Check("lane", Status.OK, "store commands take it")
        is_other = obstacle.startswith("PyMongo")
        cure = "pin the PyMongo it was tested with in requirements.lock, and install it; " if is_other else ""
        advice = f"{cure}the service works, with more time for each command"
        return Check("lane", Status.WARN, f"off: {obstacle}", advice)


def describe_clock(said: str, ahead: float) -> Check:
    """Report that the clocks of the store and of this machine differ, on which tokens and leases depend."""
    where = "ahead of" if ahead > 0 else "behind"
    apart = f"{said}: its clock is {abs(ahead):.1f} s {where} that of this machine"
    return Check("store", Status.WARN, apart, "let NTP set the clocks of all machines")


def lifetime(said: str, seconds: int | None, least: int) -> Check:
    """Whether transactions may be open too long or too short (README, In production)."""
    most = max(least, _LONGEST_TRANSACTION)
    if seconds is None or least <= seconds <= most:
        return Check("store", Status.OK, said)
    lasting = f"{said} of up to {seconds} s"
    advice = f"set its transactionLifetimeLimitSeconds to {max(least, _USUAL_TRANSACTION)}: "
    if seconds < least:
        return Check("store", Status.WARN, lasting, f"{advice}twice mongodb.timeout-ms are {least} s")
    advice += "so long the records of a service that was killed stay locked"
    return Check("store", Status.WARN, lasting, advice)
