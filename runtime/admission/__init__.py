"""How much work is let in at once, and who is next: limits, the gate before them, caps of long transfers."""

from runtime.admission.gate import Gate, Turn
from runtime.admission.limit import AdaptiveLimit, FixedLimit
from runtime.admission.queues import key_within
from runtime.admission.transfers import Transfers

__all__ = ["AdaptiveLimit", "FixedLimit", "Gate", "Transfers", "Turn", "key_within"]
