"""Authorization requests (RFC 6749 §4.1): from the request of a client to a code for it, or a refusal."""
