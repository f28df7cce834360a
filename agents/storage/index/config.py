"""The `index-node` section of the configuration."""

from pathlib import Path
from typing import Any

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address

_positive: Any = validators.gt(0)


@frozen
class IndexNodeConfig:
    """How an index node keeps its index, and where it is reached.

    Attributes:
        folder: where its database is; null means `index` under the archive's directory.
        hip: "host:port" for depositors and readers; null means base port + 4.
        pages: "host:port" of its pages; null means base port + 5.
        storage_master: the storage master's HIP address; null means base port + 2.
        follow_every: seconds between two looks at the log of a storage node.
        grace: seconds that another index node may be away before its share is taken over.
        settle: seconds after its start in which it denies nothing without asking the storage nodes.
        node_timeout: seconds that a storage node may take to record captures.
        connections: HTTP connections to one storage node.
        batch_limit: contents or captures of one call.
    """

    folder: Path | None = None
    hip: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    storage_master: str | None = field(default=None, validator=is_link_address)
    follow_every: float = field(default=2.0, validator=_positive)
    grace: float = field(default=60.0, validator=validators.ge(0))
    settle: float = field(default=60.0, validator=validators.ge(0))
    node_timeout: float = field(default=30.0, validator=_positive)
    connections: int = field(default=8, validator=_positive)
    batch_limit: int = field(default=10_000, validator=_positive)
