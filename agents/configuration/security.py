"""The section `security`: who may link to whom on the tree, and the way out."""

import os
import re
from pathlib import Path
from typing import Any

from attrs import field, frozen

from anet.errors import InvalidAddress
from anet.tunnel import Proxy
from hip import Security

_NUMBERED = re.compile(r"(.+)-[0-9]+")


def _is_proxy(_instance: object, _attribute: Any, value: str | None) -> None:
    try:
        if value is not None:
            Proxy.parse(value)
    except InvalidAddress:
        raise ValueError("a proxy, http://host:port or http://user:password@host:port") from None


@frozen
class SecurityConfig:
    """HIP links: certificates of the agents, and the way to masters beyond a firewall.

    Attributes:
        certificates: folder made by `hip certs`; an agent uses the folder of its name in it, or
            of its name without the number at its end. With it every HIP link over TCP is mutual
            TLS, and storage nodes beyond loopback speak HTTPS; null means plaintext, on loopback
            only.
        proxy: HTTP proxy through which masters beyond loopback are reached, with a user's name
            and password where it wants them; null means none.
        users: names of users whose processes may link over UNIX sockets, beside the agent's own.
    """

    certificates: Path | None = None
    proxy: str | None = field(default=None, validator=_is_proxy, repr=False)
    users: tuple[str, ...] = ()

    def of_agent(self, name: str, insecure: bool) -> Security:
        """Return what guards the links of the agent of that name."""
        others: dict[str, Any] = {
            "insecure": insecure,
            "proxy": Proxy.parse(self.proxy) if self.proxy else None,
            "users": self.users,
        }
        if self.certificates is None:
            return Security(**others)
        own = self.certificates.expanduser().absolute() / name
        shared = _NUMBERED.fullmatch(name)
        if shared and not os.access(own, os.F_OK):  # also where we may not look
            own = own.with_name(shared[1])
        return Security.of_folder(own, **others)
