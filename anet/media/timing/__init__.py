"""Clocks that go by the media themselves, a format each (*INA §1.6*).

They read headers only, whatever is coded behind them.
"""

from anet.media.interface import ISignalClock
from anet.media.timing.choosing import clock_for

__all__ = ["ISignalClock", "clock_for"]
