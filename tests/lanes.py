"""Whether services of the tests send their commands through the lane: ``MONGODB_LANE=false pytest …`` is without."""

import os
from typing import Final

TAKES_LANE: Final = os.environ.get("MONGODB_LANE", "true") == "true"
