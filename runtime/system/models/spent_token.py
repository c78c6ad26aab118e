"""SpentToken, from runtime/system/specs/security/spent_token.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class SpentToken(RecordInput):
    """A token that is not accepted any more before it expires: an access token that its client revoked, or a client assertion that was used. Its refName is a hash of what identifies it."""

    expires_at: Moment
