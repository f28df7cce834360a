"""IPv4 and IPv6 asked for together."""

import socket
from contextlib import suppress

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.names import dns

from anet.dns.answers import Failed, Found
from anet.dns.policy import Outcome
from anet.dns.servers import Servers
from anet.dns.system import Settings

SECOND = 1.0  # seconds that IPv6 may take longer than IPv4, when that is found

_FAR = {4: (socket.AF_INET, "192.0.2.1"), 6: (socket.AF_INET6, "2001:db8::1")}


async def look_up_both(
    clock: IReactorTime, servers: Servers, name: str, settings: Settings
) -> tuple[Outcome, Outcome]:
    """Return what the servers say about the IPv4 and the IPv6 addresses of a name.

    Servers that never answer about IPv6 are common; their IPv4 addresses do not wait for it.
    """
    six = Deferred.fromCoroutine(servers.look_up(name, dns.AAAA, settings))
    try:
        four = await servers.look_up(name, dns.A, settings)
        if isinstance(four, Found):
            six.addTimeout(SECOND, clock)
        return four, await six
    except TimeoutError:
        return four, Failed("no answer about IPv6", True)
    finally:
        six.addErrback(lambda _: None)
        six.cancel()


def routed() -> frozenset[int]:
    """Return the versions of IP by which this machine can reach the Internet.

    Connecting a socket for datagrams looks for a route, and sends nothing.
    """
    found = set()
    for version, (family, address) in _FAR.items():
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            found.add(version)
    return frozenset(found)
