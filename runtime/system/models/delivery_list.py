"""DeliveryList, from runtime/system/specs/integration/delivery_list.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.delivery_status import DeliveryStatus


class DeliveryList(Strict):
    """Notifications of a webhook, the newest first. Those that have not been sent yet are only counted."""

    rows: list[DeliveryStatus]
    waiting: int
