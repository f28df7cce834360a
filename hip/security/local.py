"""UNIX sockets, and the users behind them: the kernel says who is there, so no TLS is needed."""

import os
import pwd
import socket
import stat
import struct
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Protocol

from anet.errors import AddressInUse, PermissionRefused
from hip.address import SocketPath
from hip.errors import CredentialsRefused, HipError, NotTrusted
from hip.peer import Peer

_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: ucred of unix(7)
_OWN, _ALL = 0o600, 0o666  # of the file; with other users named, the kernel's word decides


def listen_locally(reactor: Any, where: SocketPath, factory: Any, name: str, shared: bool) -> Any:
    """Listen at a UNIX socket and return the listening port.

    Args:
        reactor: which reactor.
        where: the socket; a file that a process left there when it died is removed.
        factory: makes the protocols.
        name: who listens, for errors.
        shared: whether users beside our own may connect.

    Raises:
        AddressInUse: a process listens there, or there is another kind of file.
        PermissionRefused: this user may not make a socket there.
    """
    path = Path(where.path)
    try:
        if _is_stale(path, where, name):
            path.unlink()
        mode = _ALL if shared else _OWN
        return reactor.listenUNIX(where.path, factory, backlog=512, mode=mode)
    except (CannotListenError, OSError) as error:
        why = getattr(error, "socketError", error)
        words = f"{name} cannot listen at {where}: {getattr(why, 'strerror', None) or why}"
        if isinstance(why, PermissionError):
            raise PermissionRefused(words) from None
        raise AddressInUse(f"{words}; does the folder exist?") from None


def _is_stale(path: Path, where: SocketPath, name: str) -> bool:
    """Tell whether there is a socket that nobody listens at.

    Raises:
        AddressInUse: somebody does, or it is no socket.
        OSError: it cannot be told.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISSOCK(mode):
        raise AddressInUse(f"{name} cannot listen at {where}: there is a file that is no socket")
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.setblocking(False)
        try:
            probe.connect(where.path)
        except ConnectionRefusedError:
            return True
        except BlockingIOError:  # its backlog is full: somebody listens
            pass
    raise AddressInUse(
        f"{name} cannot listen at {where}: another process listens there; end it, or choose "
        "another path in the configuration"
    )


def user_ids(names: Iterable[str]) -> frozenset[int]:
    """Return the users who may be at the other end: our own, and those named.

    Raises:
        CredentialsRefused: there is no user of a name.
    """
    try:
        others = [pwd.getpwnam(name).pw_uid for name in names]
    except KeyError as error:
        raise CredentialsRefused(f"{error.args[0]}: no such user on this machine") from None
    return frozenset([os.geteuid(), *others])


def user_behind(transport: Any) -> tuple[int, int]:
    """Return process and user at the other end of a UNIX socket, as the kernel knows them."""
    told = transport.getHandle().getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size
    )
    pid, uid, _ = _CREDENTIALS.unpack(told)
    return pid, uid


class Threshold(Protocol):
    """Gives the transport of a UNIX socket to a peer, if its user is permitted.

    Args:
        permitted: the users who may come in.
        build: makes the peer.
        refused: called with the error, if there will be no peer.
    """

    transport: Any

    def __init__(
        self,
        permitted: frozenset[int],
        build: Callable[[], Peer],
        refused: Callable[[HipError], object],
    ) -> None:
        self._permitted, self._build, self._refused = permitted, build, refused

    def connectionMade(self) -> None:
        """Let the peer in, or not."""
        transport = self.transport
        pid, uid = user_behind(transport)
        if uid not in self._permitted:
            transport.abortConnection()
            self._refused(
                NotTrusted(f"process {pid} of user {uid} may not link over a UNIX socket here")
            )
            return
        # Options of TCP, which the kernel refuses here.
        transport.setTcpNoDelay = transport.setTcpKeepAlive = lambda _: None
        peer = self._build()
        transport.protocol = peer
        peer.makeConnection(transport)
