"""Masks secrets in log lines: members whose names suggest one, tokens, passwords and commands inside texts.

Texts may come from callers, so each pattern takes linear time.
"""

import re
from collections.abc import Mapping
from typing import Any

_SECRET_NAME = re.compile(r"(?i)passw|secret|token|authorization|cookie|api_?key|private_?key|assertion")
_SECRET_TEXT = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]{0,30}://)[^/@\s]*@"  # user information of an address
    r"|eyJ(?:(?!eyJ)[\w-])*\.[\w-]+\.[\w-]*"  # a JSON web token; each look ends where the next begins
    r"|whsec_[\w+/=-]+"  # the secret of a webhook
    r"|(?i:\b(?P<kind>bearer|basic)\s+)[\w.~+/=-]{8,}"
)

_COMMAND_TEXT = re.compile(
    r", (?:full error|Topology Description):[^\n]*"
    r"|(?<= to execute command )(?P<command>\{ [^,\n]{1,200}), [^\n]*"
)
"""What the driver appends to a refusal: the command with its values, and the token of the session."""

_NO_MEMBER = (
    "no server in MONGODB_URI is a member of it; correct replicaSet=, or start a server that runs alone "
    "with --replSet and call rs.initiate()"
)


def mask(key: str, value: Any) -> Any:
    """Return a member of a log line without its secrets: by its name, or those inside its texts."""
    if _SECRET_NAME.search(key):
        return "***"
    if isinstance(value, str):
        return shorten_refusals(_SECRET_TEXT.sub(_cover, value))
    if isinstance(value, Mapping):
        return {str(inner): mask(str(inner), each) for inner, each in value.items()}
    if isinstance(value, list | tuple):
        return [mask("", each) for each in value]
    return value


def shorten_refusals(text: str) -> str:
    """Return a text in which refusals of MongoDB, as the driver reports them, lack the values of commands."""
    return _COMMAND_TEXT.sub(lambda match: f"{match['command']} … }}" if match["command"] else "", text)


def drop_quoted(text: str) -> str:
    """Return what the driver reports of an address up to what it quotes: perhaps the end of a password."""
    return text.partition(' "')[0]


def explain_unreachable(text: str) -> str:
    """Return what the driver reports of a store that it does not reach, in short, and what would be right."""
    said = text.partition(", Timeout:")[0].partition(" (configured")[0]
    return f"{said}: {_NO_MEMBER}" if said.startswith("No replica set members available for") else said


def explain_file_fault(error: OSError) -> str:
    """Return what is wrong with a file that ``MONGODB_URI`` names, also one that is not a certificate."""
    where = f"the file {error.filename}" if error.filename else "a certificate"
    return f"MONGODB_URI names {where} that cannot be used: {error.strerror or error}"


def _cover(match: re.Match[str]) -> str:
    if match["scheme"]:
        return f"{match['scheme']}***@"
    return f"{match['kind']} ***" if match["kind"] else "***"
