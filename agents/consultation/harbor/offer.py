"""What the harbor has to know of the certificate authority that readers may trust."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol


class Offer(Protocol):
    """A certificate authority of the archive's own; `proxy.authority` makes it."""

    @property
    def name(self) -> str:
        """As browsers list it."""

    @property
    def fingerprint_sha256(self) -> str:
        """Of its certificate, as browsers show it: `AB:CD:…`."""

    @property
    def not_after(self) -> datetime:
        """When it runs out."""

    @property
    def paths(self) -> Sequence[str]:
        """Where the harbor gives the certificate, and the proxy's automatic configuration."""
