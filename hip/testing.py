"""Fakes for tests of agents: two agents linked in memory, under a clock that tests move."""

from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from hip.agent import Agent
from hip.peer import Peer


class MemoryTransport:
    """One end of a connection that exists in memory; bytes arrive when the clock moves."""

    def __init__(self, clock: Clock, host: str = "127.0.0.1") -> None:
        self.other: MemoryTransport | None = None
        self.protocol: Any = None
        self.connected = True
        self._clock = clock
        self._host = host

    def write(self, data: bytes) -> None:
        """Send bytes to the other end."""
        if self.connected and self.other is not None:
            self._clock.callLater(0, self.other._deliver, data)

    def _deliver(self, data: bytes) -> None:
        if self.connected:
            self.protocol.dataReceived(data)

    def loseConnection(self) -> None:
        """Close both ends once what was written has arrived."""
        self._clock.callLater(0, self.abortConnection)

    def abortConnection(self) -> None:
        """Close both ends now."""
        for end in (self, self.other):
            if end is not None and end.connected:
                end.connected = False
                end.protocol.connectionLost(Failure(ConnectionDone()))

    def getPeer(self) -> IPv4Address:
        """Return an address of loopback."""
        return IPv4Address("TCP", self._host, 1)

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Do nothing; there is no TCP."""

    def registerProducer(self, producer: object, streaming: bool) -> None:
        """Do nothing; what is written arrives."""

    def unregisterProducer(self) -> None:
        """Do nothing."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Do nothing; there is no TCP."""


def settle(clock: Clock, turns: int = 50) -> None:
    """Let everything that is due happen, without time passing."""
    for _ in range(turns):
        clock.advance(0)


def connect_in_memory(clock: Clock, master: Agent, slave: Agent) -> tuple[Peer, Peer]:
    """Link two agents and let them greet.

    Returns:
        The slave as the master sees it, and the master as the slave sees it.
    """
    ends = MemoryTransport(clock), MemoryTransport(clock)
    ends[0].other, ends[1].other = ends[1], ends[0]
    at_master, at_slave = master.new_peer(is_master=True), slave.new_peer(is_master=False)
    at_master.on_greeted = master.join
    for end, peer in zip(ends, (at_master, at_slave), strict=True):
        end.protocol = peer
        peer.transport = end
    at_slave.connectionMade()
    at_master.connectionMade()
    settle(clock)
    return at_master, at_slave
