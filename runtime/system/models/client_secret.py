"""ClientSecret, from runtime/system/specs/security/client_secret.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class ClientSecret(Strict):
    """A new secret of an OAuth client."""

    client_id: str
    client_secret: str
