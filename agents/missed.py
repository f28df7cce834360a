"""Links that led readers nowhere, as the scheduler is told of them (*INA §2.4.2*)."""

from typing import Final

from attrs import frozen

AT_ONCE: Final = 500  # links of one message
URL_LIMIT: Final = 2000  # characters


@frozen
class MissedLink:
    """A URL that readers asked for and the archive has not.

    Attributes:
        url: canonical.
        page: that links there, canonical; empty when no browser said.
        times: asked for so far, as this agent counts.
        date: when it was last asked for, 20 digits.
    """

    url: str
    page: str
    times: int
    date: str
