"""Validators for the values that several sections hold; each says what it expected."""

from typing import Any

from anet.errors import InvalidAddress
from hip.address import parse


def is_address(_instance: object, _attribute: Any, value: str | None) -> None:
    """Check an address "host:port" ("[::1]:7100" for IPv6); None, for the default, passes.

    Raises:
        ValueError: it is not one.
    """
    if value is None:
        return
    host, separator, port = value.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    bracketed_right = ":" not in host or bare != host
    number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else -1
    if not (separator and bare and bracketed_right and 0 <= number <= 65535):
        raise ValueError("an address, host:port")


def is_link_address(_instance: object, _attribute: Any, value: str | None) -> None:
    """Check where HIP is spoken: "host:port" or "unix:/path"; None, for the default, passes.

    Raises:
        ValueError: it is neither.
    """
    if value is None:
        return
    try:
        parse(value)
    except InvalidAddress:
        raise ValueError("an address, host:port or unix:/path/to/socket") from None
