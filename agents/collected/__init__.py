"""Captures that no crawl made: bodies of feeds, and what readers saw of the live web.

exchange    what a server answered, as it is kept
recording   a body on its way to the disk, which nobody waits for
captures    directories like those of crawls, filled one after another
finishing   what makes such a directory whole, also after a kill
offering    giving whole directories to the scheduler, which has them deposited
"""

from agents.collected.captures import Captures
from agents.collected.exchange import Collected, Exchange
from agents.collected.offering import Offering
from agents.collected.recording import Recording

__all__ = ["Captures", "Collected", "Exchange", "Offering", "Recording"]
