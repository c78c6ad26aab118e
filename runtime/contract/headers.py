"""Headers and path parameters of the standard operations, and the flags of a write."""

from typing import Annotated, Any, Final

from pydantic import Field

from runtime.contract.values import TrueOrFalse, describe_field
from runtime.model.record import ObjectIdText, Strict

MOST_KEY: Final = 255
MOST_USER: Final = 200
"""Characters of an idempotency key, and of the name of a user in a header."""

ENTITY_TAGS: Final = r'^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$'
"""``*``, or entity tags: ``"3"``."""

_User = Annotated[str | None, Field(min_length=1, max_length=MOST_USER)]
_PRINTABLE: Any = {"pattern": "^[!-~]([ -~]*[!-~])?$"}


def read_bearer(authorization: str | None) -> str | None:
    """Return the token of ``Authorization: Bearer …``; None without one, and for another scheme."""
    scheme, _, token = (authorization or "").partition(" ")
    return (token.strip() or None) if scheme.lower() == "bearer" else None


class CallerHeaders(Strict):
    """Who is calling, and where the call acts; with every operation that needs a token."""

    realm: Annotated[
        str | None, Field(alias="X-Realm", description="The realm to act in. Default: the caller's own.")
    ] = None
    impersonate_subject: Annotated[
        _User,
        Field(alias="X-Impersonate-Subject"),
        describe_field(
            "Act as the user with this subject, with their rights only, where your credential allows it.",
            **_PRINTABLE,
        ),
    ] = None
    impersonate_user_id: Annotated[
        _User,
        Field(alias="X-Impersonate-UserId"),
        describe_field(
            "Act as the user with this user id; alternative to `X-Impersonate-Subject`.", **_PRINTABLE
        ),
    ] = None
    acting_on_behalf_of_subject: Annotated[
        _User,
        Field(alias="X-Acting-On-Behalf-Of-Subject"),
        describe_field(
            "The subject of the person you act for. Only recorded, in `auditInfo` of what is written.",
            **_PRINTABLE,
        ),
    ] = None
    acting_on_behalf_of_user_id: Annotated[
        _User,
        Field(alias="X-Acting-On-Behalf-Of-UserId"),
        describe_field(
            "The user id of the person you act for. Only recorded, in `auditInfo` of what is written.",
            **_PRINTABLE,
        ),
    ] = None


class AgentHeaders(Strict):
    """For whom a program uses tools; with every operation where the permissions on records decide."""

    agent: Annotated[
        _User,
        Field(alias="X-Agent"),
        describe_field(
            "The refName of an agent: only its enabled tools may be used. Recorded in the log.", **_PRINTABLE
        ),
    ] = None


class WriteHeaders(Strict):
    """How a write is to be done."""

    if_match: Annotated[
        str | None,
        Field(alias="If-Match", description='Write only this version: the ETag of the record, such as "3".'),
    ] = None
    if_none_match: Annotated[
        str | None,
        Field(alias="If-None-Match"),
        describe_field(
            "`*`: create a record, and change none that exists (412). An entity tag: change the record "
            "unless it has this version.",
            pattern=ENTITY_TAGS,
        ),
    ] = None
    prefer: Annotated[
        str | None,
        Field(
            alias="Prefer",
            description="`return=minimal`: respond without the record (RFC 7240). A new record is then "
            "answered with 201, its `Location` and an empty body, any other write with 204.",
        ),
    ] = None
    idempotency_key: Annotated[
        str | None,
        Field(alias="Idempotency-Key", min_length=1, max_length=MOST_KEY),
        describe_field(
            "A unique name for this request: if it is sent again within 24 hours, it takes effect only once.",
            pattern="^[ -~]+$",
        ),
    ] = None


class ReadHeaders(Strict):
    """On which condition a record is read."""

    if_none_match: Annotated[
        str | None,
        Field(alias="If-None-Match", description="Respond with 304 if this is still the entity tag."),
    ] = None


class WriteFlags(Strict):
    """The query of a write."""

    dry_run: Annotated[
        TrueOrFalse,
        Field(description="Validate the request and respond as if it took effect, but store nothing."),
    ] = False


class PathParameters(Strict):
    """The names in paths."""

    id: Annotated[ObjectIdText, Field(description="The record's id.")]
    ref_name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="The record's reference name; case matters.",
        ),
    ]
    session_id: Annotated[
        str,
        describe_field("The id of the import session.", example="65f0c0ffee00c0ffee00c0de"),
    ]
