"""Making a connection to a web server: name, permission, TCP, TLS."""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import CancelledError
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.error import TimeoutError as ConnectTimeout

from anet.errors import ConnectFailed, ForbiddenAddress, HttpError, TimedOut
from anet.factories import factory_of
from anet.http.connection import HttpConnection
from anet.names import ascii_name, resolve
from anet.tls import client_creator

TRIED = 4  # addresses of a host, lest a name with many keeps one waiting

Permit = Callable[[str], bool]


def permit_all(_: str) -> bool:
    """Permit every address."""
    return True


async def connect(
    reactor: Any,
    host: str,
    port: int,
    *,
    tls: bool = False,
    verify: bool = True,
    address: str | None = None,
    timeout: float = 10.0,
    silence: float = 60.0,
    permit: Permit = permit_all,
) -> HttpConnection:
    """Connect to a web server.

    Args:
        reactor: which reactor.
        host: the server's name; also the name asked for in TLS.
        port: its port.
        tls: whether to speak TLS.
        verify: whether its certificate must be good.
        address: connect to this IP address and do not look the name up.
        timeout: seconds for the name, and again for each address that is tried (at most 4).
        silence: seconds without a byte after which an exchange is given up.
        permit: tells of each IP address whether it may be connected to; asked after the name
            is looked up, so that a name cannot lead where an address may not.

    Raises:
        ForbiddenAddress: no address of the host is permitted.
        ConnectFailed: nobody answers there, or `host` is no name.
        TimedOut: nobody said yes or no.
    """
    addresses = [address] if address else await resolve(reactor, host, timeout)
    permitted = [ip for ip in addresses if permit(ip)]
    if not permitted:
        raise ForbiddenAddress(f"{host} ({', '.join(addresses)}) may not be connected to")
    failure: HttpError = ConnectFailed(f"{host} has no address")
    for ip in permitted[:TRIED]:
        try:
            return await _connect_to(reactor, ip, host, port, tls, verify, timeout, silence)
        except HttpError as error:
            failure = error
    raise failure


async def _connect_to(
    reactor: Any,
    ip: str,
    host: str,
    port: int,
    tls: bool,
    verify: bool,
    timeout: float,
    silence: float,
) -> HttpConnection:
    kind = TCP6ClientEndpoint if ":" in ip else TCP4ClientEndpoint
    endpoint: Any = kind(reactor, ip, port, timeout=timeout)
    if tls:
        endpoint = wrapClientTLS(client_creator(ascii_name(host), verify), endpoint)
    try:
        connection: HttpConnection = await endpoint.connect(
            factory_of(lambda: HttpConnection(reactor, silence))
        )
    except ConnectTimeout:
        raise TimedOut(f"{host}:{port} did not answer in {timeout:g} seconds") from None
    except ConnectingCancelledError:
        raise CancelledError from None  # as every other wait does
    except (ConnectError, OSError) as error:
        raise ConnectFailed(f"{host}:{port} ({ip}): {_words(error)}") from None
    return connection


def _words(error: BaseException) -> str:
    """Return what an error of the operating system says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
