"""ClientCredential, from runtime/system/specs/security/client_credential.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class ClientCredential(Strict):
    """The credential of an OAuth client, whose rights the tokens have that the client gets for itself."""

    client_id: str
    subject: Annotated[
        str, Field(description="The permanent identifier of the credential; the tokens carry it.")
    ]
    roles: Annotated[list[str], Field(description="Roles in the realm of the client.")]
