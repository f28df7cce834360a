"""Captures that no crawl made: feeds, what readers saw of the live web, and live streams.

exchange    what a server answered, as it is kept; contents that lie in files already
recording   a body on its way to the disk, which nobody waits for
captures    directories like those of crawls, filled one after another
finishing   what makes such a directory whole, also after a kill
offering    giving whole directories to the scheduler, which has them deposited
"""

from agents.collected.captures import Captures
from agents.collected.exchange import Closed, Collected, Dated, Exchange
from agents.collected.offering import Offering
from agents.collected.recording import Recording

__all__ = ["Captures", "Closed", "Collected", "Dated", "Exchange", "Offering", "Recording"]
