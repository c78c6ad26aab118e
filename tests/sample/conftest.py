"""The sample's generated package and its handlers can be imported as an application would."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent

if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))
