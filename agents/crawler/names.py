"""How a site crawler looks names up, made from its configuration."""

from typing import Any

from agents.crawler.config import SiteCrawlerConfig
from anet.dns import Resolver, Server, Sources


def make_resolver(reactor: Any, config: SiteCrawlerConfig) -> Resolver | None:
    """Return the resolver that a configuration describes; None leaves names to the system."""
    if config.names == "system":
        return None
    servers = tuple(Server.parse(text) for text in config.name_servers)
    return Resolver(reactor, Sources("\n".join(config.hosts), servers))
