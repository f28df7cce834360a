"""What reads the manifests of a stream, and is told how that went."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from agents.streaming.following.fetching import Read
from agents.streaming.following.intake import Intake, Rules

LARGE = 32 * 1024  # bytes of a manifest that a thread reads
REFUSALS = 3  # in a row, after which the way to a manifest is asked for anew

_Said = TypeVar("_Said")


class Reader(Protocol):
    """The stream that is followed, as what reads its manifests sees it.

    Attributes:
        intake: takes what is listed.
        rules: how it is followed.
        reactor: which reactor.
    """

    intake: Intake
    rules: Rules
    reactor: Any

    async def read(self, url: str, asked: str = "") -> Read:
        """Return a manifest as it is now; see `Fetcher.read`."""

    async def understood(self, read: Read, understand: Callable[[bytes, str], _Said]) -> _Said:
        """Return what a manifest says, worked out where it holds nobody up.

        Raises:
            NotAStream: it says nothing.
        """

    def answered(self, name: str, read: Read, bandwidth: int) -> None:
        """Take note that a manifest was read."""

    def failed(self, name: str, error: Exception) -> bool:
        """Take note that it was not; tell whether to give up."""
