"""How many deliveries a worker sends at once, to whom: slow receivers do not starve the others. Pure.

A webhook begins with all the lanes that a tenant may have. An answer that fails or is slow halves them, down
to one; each quick one adds one. So what a slow receiver holds is one lane a webhook, and no tenant holds more
than a quarter of the worker, however many webhooks it has.
"""

from collections import defaultdict
from typing import Final

from runtime.outbox.queue import Busy

_SLOW_SECONDS: Final = 0.5
_TENANTS: Final = 4


class Lanes:
    """The deliveries under way. ``most``: all together."""

    def __init__(self, most: int) -> None:
        self._most, self._share = most, max(1, most // _TENANTS)
        self._under_way: dict[str, int] = defaultdict(int)
        self._of_tenant: dict[str, int] = defaultdict(int)
        self._widths: dict[str, int] = {}
        self._total = 0

    @property
    def free(self) -> int:
        """How many more deliveries may be sent."""
        return self._most - self._total

    @property
    def busy(self) -> Busy:
        """For whom no more may be sent now."""
        webhooks = {one for one, number in self._under_way.items() if number >= self._width(one)}
        tenants = {one for one, number in self._of_tenant.items() if number >= self._share}
        return Busy(webhooks, tenants)

    def room(self, webhook: str, tenant: str) -> int:
        """Return how many more deliveries of a webhook may be sent now."""
        under_way, of_tenant = self._under_way.get(webhook, 0), self._of_tenant.get(tenant, 0)
        return min(self._width(webhook) - under_way, self._share - of_tenant, self.free)

    def enter(self, webhook: str, tenant: str) -> bool:
        """Take a lane, if there is one."""
        if self.room(webhook, tenant) <= 0:
            return False
        self._under_way[webhook] += 1
        self._of_tenant[tenant] += 1
        self._total += 1
        return True

    def give_back(self, webhook: str, tenant: str) -> None:
        """Leave a lane; the webhook keeps its width."""
        self._total -= 1
        for counted, name in ((self._under_way, webhook), (self._of_tenant, tenant)):
            counted[name] -= 1
            if not counted[name]:
                del counted[name]

    def learn(self, webhook: str, *, is_good: bool, seconds: float) -> None:
        """Note how an answer was: one that was accepted quickly, or not."""
        width = self._width(webhook)
        width = min(width + 1, self._share) if is_good and seconds < _SLOW_SECONDS else max(1, width // 2)
        if width == self._share:
            self._widths.pop(webhook, None)
        else:
            self._widths[webhook] = width

    def _width(self, webhook: str) -> int:
        return self._widths.get(webhook, self._share)
