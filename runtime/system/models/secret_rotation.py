"""SecretRotation, from runtime/system/specs/security/secret_rotation.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class SecretRotation(Strict):
    """How the secret of an OAuth client is replaced."""

    end_previous: bool | None = False
