"""Through a SOCKS proxy to another host: version 5 (RFC 1928), with a password (RFC 1929).

Sans I/O; `anet.tunnel.TunnelProtocol` drives it. The proxy looks the name up, so that it also leads
where only the proxy can.
"""

from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from attrs import field, frozen

from anet.address import Address
from anet.errors import InvalidAddress, MalformedMessage, TunnelRefused
from anet.names import literal

_VERSION = 5
_NO_PASSWORD, _PASSWORD = 0, 2  # ways to say who one is
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4  # kinds of addresses
_REFUSALS = {
    1: "it failed",
    2: "its rules forbid it",
    3: "the network cannot be reached",
    4: "the host cannot be reached, or its name is unknown",
    5: "the host refuses the connection",
    6: "the host did not answer in time",
    7: "it cannot connect to others",
    8: "it does not know that kind of address",
}


@frozen
class SocksProxy:
    """A SOCKS proxy to go out through.

    Attributes:
        address: where it is.
        user: name it is told, or empty.
        password: password it is told; never shown.
    """

    address: Address
    user: str = ""
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"socks5://{self.address}"

    @classmethod
    def parse(cls, url: str) -> "SocksProxy":
        """Read `socks5://user:password@host:port`; what is special in either is percent-encoded.

        Raises:
            InvalidAddress: it is no such URL; the message does not repeat it, lest a password
                come into a log.
        """
        words = "a SOCKS proxy is written socks5://host:port or socks5://user:password@host:port"
        try:
            parts = urlsplit(url)
            address = Address.parse(parts.netloc.rpartition("@")[2])
        except (ValueError, InvalidAddress):
            raise InvalidAddress(words) from None
        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        proxy = cls(address, unquote(user), unquote(password))
        right = parts.scheme in ("socks5", "socks5h") and parts.path in ("", "/")
        fits = all(len(each.encode()) <= 255 for each in (proxy.user, proxy.password))
        if not right or parts.query or not address.port or not fits:
            raise InvalidAddress(words)
        return proxy


class SocksTunnel:
    """The words with a SOCKS proxy: greeting, password if it wants one, and where to.

    Attributes:
        request: what to send first.
    """

    def __init__(self, proxy: SocksProxy, to: Address) -> None:
        self._proxy, self._to = proxy, to
        self._buffer = b""
        self._reply = b""
        self._take = self._take_choice
        ways = [_NO_PASSWORD, _PASSWORD] if proxy.user else [_NO_PASSWORD]
        self.request = bytes([_VERSION, len(ways), *ways])

    def receive(self, data: bytes) -> bytes | None:
        """Take what the proxy says; return the first bytes from beyond once the tunnel is there.

        Raises:
            TunnelRefused: the proxy does not let us through; the message says what to do.
            MalformedMessage: it does not speak SOCKS 5.
        """
        self._buffer += data
        if self._buffer[:1] not in (b"\x05", b"\x01"):
            raise MalformedMessage(f"the proxy {self._proxy} does not speak SOCKS 5")
        return self._take()

    def reply(self) -> bytes:
        """Return what is to be sent after what was received; nothing the second time."""
        reply, self._reply = self._reply, b""
        return reply

    def _take_choice(self) -> bytes | None:
        if len(self._buffer) < 2:
            return None
        way, self._buffer = self._buffer[1], self._buffer[2:]
        if way == _NO_PASSWORD:
            return self._ask()
        if way != _PASSWORD or not self._proxy.user:
            raise TunnelRefused(
                way,
                f"the proxy {self._proxy} wants to know who asks; write "
                "socks5://user:password@host:port",
            )
        user, password = self._proxy.user.encode(), self._proxy.password.encode()
        self._reply = bytes([1, len(user)]) + user + bytes([len(password)]) + password
        self._take = self._take_verdict
        return None

    def _take_verdict(self) -> bytes | None:
        if len(self._buffer) < 2:
            return None
        verdict, self._buffer = self._buffer[1], self._buffer[2:]
        if verdict:
            raise TunnelRefused(
                verdict, f"the proxy {self._proxy} refuses the user name and password given"
            )
        return self._ask()

    def _ask(self) -> bytes | None:
        head = bytes([_VERSION, _CONNECT, 0])
        self._reply = head + _coded(self._to.host) + self._to.port.to_bytes(2, "big")
        self._take = self._take_answer
        return None

    def _take_answer(self) -> bytes | None:
        if len(self._buffer) >= 2 and self._buffer[1]:
            code = self._buffer[1]
            why = _REFUSALS.get(code, f"it answers {code}")
            raise TunnelRefused(
                code, f"the proxy {self._proxy} does not let us through to {self._to}: {why}"
            )
        end = _end_of_answer(self._buffer)
        if end is None or len(self._buffer) < end:
            return None
        return self._buffer[end:]


def _coded(host: str) -> bytes:
    """Return a host as SOCKS writes it."""
    address = literal(host)
    if address is None:
        name = host.encode("idna")
        return bytes([_NAME, len(name)]) + name
    return bytes([_IPV6 if ":" in address else _IPV4]) + ip_address(address).packed


def _end_of_answer(answer: bytes) -> int | None:
    """Return where an answer ends, once that can be told.

    Raises:
        MalformedMessage: it holds no address.
    """
    if len(answer) < 5:
        return None
    lengths = {_IPV4: 4, _NAME: 1 + answer[4], _IPV6: 16}
    if answer[3] not in lengths:
        raise MalformedMessage("the answer of the SOCKS proxy holds no address")
    return 4 + lengths[answer[3]] + 2
