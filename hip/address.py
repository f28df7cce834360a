"""Where an agent listens or connects: `host:port`, `[IPv6]:port` or `unix:/path/to/socket`."""

from attrs import frozen

from anet.address import Address
from anet.errors import InvalidAddress

_PATH_LIMIT = 107  # bytes, what the kernel takes
_SCHEME = "unix:"


@frozen
class SocketPath:
    """A UNIX socket.

    Attributes:
        path: absolute path of its file.
    """

    path: str

    def __str__(self) -> str:
        return f"{_SCHEME}{self.path}"


def parse(text: str) -> Address | SocketPath:
    """Read an address.

    Raises:
        InvalidAddress: the text is none.
    """
    text = text.strip()
    if not text.startswith(_SCHEME):
        try:
            return Address.parse(text)
        except InvalidAddress:
            message = f"{text[:80]!r} is not an address: write host:port or unix:/path/to/socket"
            raise InvalidAddress(message) from None
    path = text.removeprefix(_SCHEME)
    if not path.startswith("/") or not path.isprintable() or len(path.encode()) > _PATH_LIMIT:
        raise InvalidAddress(
            f"{text[:80]!r} is no UNIX socket: write unix: and an absolute path "
            f"of at most {_PATH_LIMIT} bytes"
        )
    return SocketPath(path)


def parse_redirection(text: str, over: Address | SocketPath) -> Address | SocketPath:
    """Read where a master sends its slave.

    A master elsewhere knows nothing of our files: only one reached over a UNIX socket may name
    another.

    Args:
        text: the address in the redirection.
        over: where the master that says so was reached.

    Raises:
        InvalidAddress: it leads nowhere, or where such a master may not send us.
    """
    target = parse(text)
    if isinstance(target, Address) and not target.port:
        raise InvalidAddress(f"a redirection to {target}: nobody listens at port 0")
    if isinstance(target, SocketPath) and not isinstance(over, SocketPath):
        raise InvalidAddress(f"a redirection to {target} by a master that is not on this machine")
    return target
