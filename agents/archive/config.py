"""The `archive` section: how a whole tree is kept running on this machine."""

from typing import Literal

from attrs import field, frozen, validators

from agents.configuration import ports
from agents.configuration.checks import is_address


@frozen
class ArchiveConfig:
    """How the supervisor keeps the agents of one machine.

    Attributes:
        storage_nodes: storage nodes to run, each with a folder of its own.
        feed_aggregator: whether an agent that follows feeds is run.
        streaming: whether an agent that listens to live audio and video is run.
        demonstration: whether the built-in demonstration website is served.
        demonstration_address: where it is served; null means base port + 99.
        pages: where the supervisor's page is; null means base port + 98.
        restart_first: seconds before an agent that died is started again; doubles each time.
        restart_longest: seconds that this wait grows to.
        steady_after: seconds that an agent must run before its next death counts as its first.
        stop_timeout: seconds that agents have to stop by themselves before they are killed.
        logs: how agents write their logs: text for people, or json, an object a line.
        log_size: bytes of an agent's log file before the next one begins.
        log_files: older log files kept of each agent.
        free_space: bytes that must be free on the disk for the archive to start.
    """

    storage_nodes: int = field(
        default=2, validator=[validators.ge(1), validators.le(ports.STORAGE_NODES)]
    )
    feed_aggregator: bool = False
    streaming: bool = False
    demonstration: bool = True
    demonstration_address: str | None = field(default=None, validator=is_address)
    pages: str | None = field(default=None, validator=is_address)
    restart_first: float = field(default=0.5, validator=validators.gt(0))
    restart_longest: float = field(default=30.0, validator=validators.gt(0))
    steady_after: float = field(default=60.0, validator=validators.ge(0))
    stop_timeout: float = field(default=15.0, validator=validators.gt(0))
    logs: Literal["text", "json"] = "text"
    log_size: int = field(default=5_000_000, validator=validators.ge(10_000))
    log_files: int = field(default=4, validator=validators.ge(1))
    free_space: int = field(default=256 * 1024 * 1024, validator=validators.ge(0))
