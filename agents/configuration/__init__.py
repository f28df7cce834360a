"""One YAML file configures a whole tree; each agent reads its own section of it.

Every value has a default, so an empty file is a valid one. A room describes its section as one
`attrs.frozen` class with defaults and validators; `typed` says which types a field may have. An
unknown key, a wrong type or an impossible value is refused with file, line, key, what was
expected and what was found.

    settings = load("etc/quickstart.yaml").section("scheduler", SchedulerConfig)
"""

from agents.configuration.errors import EXIT_STATUS, ConfigurationError
from agents.configuration.folder import private_folder, secret
from agents.configuration.https import base_url, http_client, pipelined_client, web_tls
from agents.configuration.options import AgentOptions
from agents.configuration.places import page_of
from agents.configuration.ports import Port, address, port, site_crawler, storage_node
from agents.configuration.tree import SECTIONS, Configuration, TopConfig, load

__all__ = [
    "EXIT_STATUS",
    "SECTIONS",
    "AgentOptions",
    "Configuration",
    "ConfigurationError",
    "Port",
    "TopConfig",
    "address",
    "base_url",
    "http_client",
    "pipelined_client",
    "load",
    "page_of",
    "port",
    "private_folder",
    "secret",
    "site_crawler",
    "storage_node",
    "web_tls",
]
