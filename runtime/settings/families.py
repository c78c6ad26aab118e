"""Settings of which an operator has as many as there are things to set: ``mcp.client.<name>.url`` and so on.

The settings of one thing are a group; ``Settings`` has a mapping from its name to the group.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import SecretStr

from runtime.errors import Misconfigured
from runtime.masking import mask
from runtime.model.realm_name import REALM_PATTERN
from runtime.settings.sources import environment_name

Groups = Mapping[str, Mapping[str, Any]]
"""Name of a thing → word → value; a ``SecretStr`` for the words that are secrets."""


@dataclass(frozen=True)
class Family:
    """``words``: the settings of one thing, with their help. An open word is followed by a name.

    ``secrets``: words whose values are not shown. ``others``: settings that only begin like the family.
    """

    prefix: str
    words: Mapping[str, str]
    open_words: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    name: str = r"[a-z][a-z0-9-]{0,39}"

    @property
    def alias(self) -> str:
        """The name of all of them together."""
        return f"{self.prefix}<name>.*"

    def split(self, setting: str) -> tuple[str, str] | None:
        """Return the name of the thing and the word; None for another setting. Raises ``Misconfigured``."""
        if not setting.startswith(self.prefix) or setting in self.others:
            return None
        name, _, word = setting.removeprefix(self.prefix).partition(".")
        if not re.fullmatch(self.name, name):
            raise Misconfigured(
                f"{setting}: {name[:40]} is not a name: write lower-case letters, digits, dashes"
            )
        opened, _, rest = word.partition(".")
        if word not in self.words and not (opened in self.open_words and rest):
            known = ", ".join([*self.words, *(f"{one}.<name>" for one in self.open_words)])
            raise Misconfigured(f"{setting} is not a setting: behind {self.prefix}{name} there are {known}")
        return name, word

    def is_secret(self, word: str) -> bool:
        """Whether the value of a word is not shown."""
        return word in self.secrets or word.partition(".")[0] in self.secrets

    def read_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Read the settings of the family, by full name. What is not one of them is passed over."""
        start = environment_name(self.prefix)
        by_word = {environment_name(word): word for word in self.words}
        opened = {environment_name(word): word for word in self.open_words}
        pattern = re.compile(
            rf"{start}([A-Z0-9_]+?)_(?:({'|'.join(map(re.escape, by_word))})"
            rf"|({'|'.join(map(re.escape, opened)) or '(?!)'})_([A-Za-z0-9_]+))"
        )
        found = {}
        for variable, value in environment.items():
            match = pattern.fullmatch(variable)
            if match and value and variable not in map(environment_name, self.others):
                name = match[1].lower().replace("_", "-")
                word = (
                    by_word[match[2]]
                    if match[2]
                    else f"{opened[match[3]]}.{_spell(opened[match[3]], match[4])}"
                )
                found[f"{self.prefix}{name}.{word}"] = value
        return found


def group_families(values: Mapping[str, Any], families: Iterable[Family]) -> dict[str, Any]:
    """Put the settings of each family together, under its alias. Raises ``Misconfigured``."""
    grouped: dict[str, Any] = {}
    for setting, value in values.items():
        for family in families:
            if found := family.split(setting):
                name, word = found
                shown = SecretStr(str(value)) if family.is_secret(word) else value
                grouped.setdefault(family.alias, {}).setdefault(name, {})[word] = shown
                break
        else:
            grouped[setting] = value
    return grouped


def print_groups(family: Family, groups: Groups) -> list[str]:
    """Print a line ``name = value`` for each setting, secrets masked."""
    return [
        f"{family.prefix}{name}.{word} = {mask('', str(value))}"
        for name, group in sorted(groups.items())
        for word, value in sorted(group.items())
    ]


def _spell(word: str, rest: str) -> str:
    """Spell a header with dashes, which variables of the environment cannot have."""
    return rest.replace("_", "-").title() if word == "header" else rest


MCP_CLIENT: Final = Family(
    "mcp.client.",
    {
        "transport-type": "How it is reached: streamable-http, http (SSE), stdio or websocket",
        "url": "Where it is; not for stdio",
        "command": "The program of a stdio server and its arguments, comma-separated",
        "timeout-seconds": "How long one request may take (30)",
        "allow-private-addresses": "Whether it may be in a private network, and without TLS (false)",
        "forward-token": "Whether the caller's token is sent, to a server that it is meant for (false)",
        "oauth.issuer": "The authorization server at which this service signs in as a client",
        "oauth.client-id": "The client id by which it does",
        "oauth.client-secret": "The secret for that",
        "oauth.scope": "The scopes to ask for",
    },
    {
        "header": "A header of each request, such as header.X-Key",
        "environment": "A variable of the environment of a stdio server, such as environment.API_KEY",
    },
    secrets=frozenset({"oauth.client-secret", "header", "environment"}),
    others=frozenset({"mcp.client.expose-resources-as-tools"}),
)

AGENT_TENANT: Final = Family(
    "service.agent.tenant.",
    {
        "runAsUserId": "The user as whom tools run in a realm, where the application resolves it",
        "enabledTools": "The tools that are offered, comma-separated (all)",
        "maxFindLimit": "Most records of one find or export",
    },
    name=REALM_PATTERN,
)
"""What an operator sets for the tools in a realm, whose name is that of the group."""

FAMILIES: Final = (MCP_CLIENT, AGENT_TENANT)
