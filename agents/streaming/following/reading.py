"""What reads the manifests of a stream, and is told how that went."""

from typing import Any, Protocol

from agents.streaming.following.fetching import Read
from agents.streaming.following.intake import Intake, Rules
from agents.streaming.following.manifests import Manifests

REFUSALS = 3  # in a row, after which the way to a manifest is asked for anew


class Reader(Protocol):
    """The stream that is followed, as what reads its manifests sees it.

    Attributes:
        intake: takes what is listed.
        manifests: tells what manifests say.
        rules: how it is followed.
        reactor: which reactor.
    """

    intake: Intake
    manifests: Manifests
    rules: Rules
    reactor: Any

    async def read(self, url: str, asked: str = "") -> Read:
        """Return a manifest as it is now; see `Fetcher.read`."""

    def answered(self, name: str, read: Read, bandwidth: int) -> None:
        """Take note that a manifest was read."""

    def failed(self, name: str, error: Exception) -> bool:
        """Take note that it was not; tell whether to give up."""
