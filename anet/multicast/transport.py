"""The protocol of a UDP socket that hands each datagram on."""

from collections.abc import Callable
from typing import Any

from twisted.internet.protocol import DatagramProtocol
from twisted.logger import Logger

_log = Logger()


class Listening(DatagramProtocol):
    """Gives each datagram on, with a way to reply to its sender."""

    transport: Any

    def __init__(self, hear: Callable[[bytes, Callable[[bytes], None]], None]) -> None:
        self._hear = hear

    def datagramReceived(self, datagram: bytes, addr: Any) -> None:
        """Hand a datagram on; a fault in what it leads to closes nothing."""
        try:
            self._hear(datagram, lambda data: self._send(data, addr))
        except Exception:
            _log.failure("a datagram was not understood")

    def _send(self, data: bytes, address: Any) -> None:
        try:
            self.transport.write(data, address)
        except OSError as error:
            _log.info("no reply to {address}: {error}", address=address, error=error)
