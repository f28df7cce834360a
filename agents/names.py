"""How names are looked up: by crawlers, and by the scheduler, which is to find what these find."""

from collections.abc import Sequence
from typing import Any, Literal

from attrs import field, frozen

from anet.dns import Resolver, Server, Sources, parse_hosts

Who = Literal["dns", "system"]


def _are_servers(_instance: object, _attribute: Any, value: list[str]) -> None:
    for text in value:
        Server.parse(text)


def _are_hosts(_instance: object, _attribute: Any, value: list[str]) -> None:
    if not all(parse_hosts(line) for line in value):
        raise ValueError('lines as of /etc/hosts: "ADDRESS NAME…"')


def servers_field() -> Any:
    """Return the field of a configuration that holds name servers."""
    return field(factory=list, validator=_are_servers)


def hosts_field() -> Any:
    """Return the field of a configuration that holds lines as of /etc/hosts."""
    return field(factory=list, validator=_are_hosts)


@frozen
class NamesConfig:
    """What the section `site-crawler` says of names; it describes these keys."""

    names: Who = "dns"
    name_servers: list[str] = servers_field()
    hosts: list[str] = hosts_field()


def make_resolver(
    reactor: Any, names: Who, name_servers: Sequence[str], hosts: Sequence[str]
) -> Resolver | None:
    """Return the resolver that a configuration describes; None leaves names to the system."""
    if names == "system":
        return None
    servers = tuple(Server.parse(text) for text in name_servers)
    return Resolver(reactor, Sources("\n".join(hosts), servers))
