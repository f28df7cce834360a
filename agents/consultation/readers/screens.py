"""What is on the readers' screens: pages, and the parts that belong to each.

The parts of a page are read at the page's own date, so that a page is as it was at one time.
"""

from agents.capture import Capture
from agents.consultation.asked import Asked


class Screens:
    """The pages that were given to each reader."""

    def date_for(self, asked: Asked) -> str:
        """Return the date of the page that what is asked for is a part of, or nothing."""
        return ""

    def note(self, asked: Asked, capture: Capture) -> None:
        """Note what was given."""
