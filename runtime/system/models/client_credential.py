"""ClientCredential, from runtime/system/specs/security/client_credential.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class ClientCredential(Strict):
    """The credential of an OAuth client, whose rights the tokens have that the client gets for itself."""

    client_id: str
    subject: str
    roles: list[str]
