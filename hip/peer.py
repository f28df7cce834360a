"""The other end of a link: who it is, and calls to it.

One connection carries requests both ways; answers come in any order (*INA §1.3.2*).
"""

from typing import Any

from twisted.internet.defer import Deferred, fail

from hip.address import parse
from hip.conversation import OPEN, Conversation
from hip.errors import (
    CallTimedOut,
    CannotCarry,
    HipError,
    NotConnected,
    Overloaded,
    ProtocolError,
)
from hip.household import Household
from hip.messages import Notification, Redirection

DEFAULT_TIMEOUT = 60.0  # seconds
NAME_LIMIT = 200  # characters of a method's name


class Peer(Conversation):
    """The agent at the other end.

    Attributes:
        is_master: whether the peer is the master of the two.
        roles: what its certificate says that it may be; None on a link without certificates.
    """

    def __init__(self, household: Household, is_master: bool) -> None:
        """Begin; `is_master` tells whether *we* are the master of the two."""
        super().__init__(household, is_master)
        self.is_master = not is_master
        self.roles: frozenset[str] | None = None

    # Who it is

    @property
    def kind(self) -> str:
        """What the peer is, `site-crawler`."""
        return self.greeting.kind

    @property
    def serializer(self) -> str:
        """Which serializer both chose."""
        return self._session.codec.name if self._session.codec else ""

    @property
    def address(self) -> str:
        """IP address of the peer."""
        return str(getattr(self.transport.getPeer(), "host", "")) if self.transport else ""

    @property
    def in_flight(self) -> int:
        """Calls that wait for an answer of the peer, or of us."""
        return len(self._calls) + len(self._answers)

    @property
    def asked(self) -> int:
        """Requests of the peer that have come over this link."""
        return self._answers.asked

    @property
    def latency(self) -> float | None:
        """Seconds that a recent call took, or None before the first has ended."""
        return self._calls.latency

    # Calling

    def call(
        self, method: str, /, *, timeout: float = DEFAULT_TIMEOUT, **arguments: Any
    ) -> Deferred[Any]:
        """Call a method of the peer.

        Args:
            method: its name.
            timeout: seconds to wait for the answer; the callee is told them too.
            arguments: plain values, or attrs values (which go as dictionaries).

        Returns:
            Fires with the answer; cancelling it tells the callee to stop.

        Raises:
            RemoteError: the callee answered with an error.
            CallTimedOut: it did not answer in time.
            ConnectionLost: the link ended first.
            CannotCarry: the arguments have no form on the wire, or do not fit in a frame.
            NotConnected: the link is closed.
            Overloaded: too many calls wait already, or the peer does not read.
        """
        try:
            if self._session.state is not OPEN:
                raise NotConnected(f"there is no open link to call {method} over")
            if not 0 < len(method) <= NAME_LIMIT:
                raise _no_name()
            if not timeout > 0:
                raise CallTimedOut(f"no time is left to call {method}")
            if self.deaf_since is not None and self._unsent > self._household.limits.unsent // 2:
                raise Overloaded(f"{self.name} does not read what it is sent: try later")
            return self._calls.begin(method, arguments, float(timeout))
        except HipError as error:
            return fail(error)

    def notify(self, method: str, /, **arguments: Any) -> None:
        """Call a method of the peer and expect no answer; nothing happens on a closed link.

        Who has much to tell awaits `drained` between, so as not to run ahead of the peer.

        Raises:
            CannotCarry: the arguments have no form on the wire, or do not fit in a frame.
        """
        if not 0 < len(method) <= NAME_LIMIT:
            raise _no_name()
        self._send(Notification(method, arguments))

    def redirect(self, address: str) -> None:
        """Send a slave to the master at `address`.

        Raises:
            ProtocolError: the peer is no slave.
            anet.errors.InvalidAddress: the text is no address.
        """
        if self.is_master:
            raise ProtocolError("only a master redirects")
        parse(address)
        self._say(Redirection(address))


def _no_name() -> CannotCarry:
    return CannotCarry(f"a method's name has 1 to {NAME_LIMIT} characters")
