"""What the tests of an application need: a service that runs for them, and callers who are signed in."""

from runtime.testing.service import Account, ServiceUnderTest, start_service

__all__ = ["Account", "ServiceUnderTest", "start_service"]
