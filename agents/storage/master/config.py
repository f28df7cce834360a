"""The `storage-master` section of the configuration."""

from pathlib import Path
from typing import Any

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address

_positive: Any = validators.gt(0)


@frozen
class StorageMasterConfig:
    """How the storage master keeps the replicas up, and where it is reached.

    Attributes:
        folder: where its database is; null means `storage-master` under the archive's directory.
        hip: "host:port" for storage nodes, index nodes and clients; null means base port + 2.
        pages: "host:port" of its pages; null means base port + 3.
        scheduler: the scheduler's HIP address; null means base port + 0.
        replicas: nodes that shall hold everything, where no policy says otherwise.
        policy: file of rules that say how many replicas are wanted of what.
        grace: seconds that a node may be away before what it held is copied elsewhere.
        settle: seconds after an addition before its replicas are counted.
        sweep_every: seconds between two counts of all replicas.
        repair_rate: repairs a second, at most.
        repairs_at_once: repairs under way at one time.
        tidy_after: seconds without a node coming or going before replicas are moved or removed.
        tidy_rate: replicas moved or removed a second, at most.
        uneven: by how much nodes must differ in how full they are, from 0 to 1, before any move.
    """

    folder: Path | None = None
    hip: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    scheduler: str | None = field(default=None, validator=is_link_address)
    replicas: int = field(default=2, validator=[validators.ge(1), validators.le(100)])
    policy: Path | None = None
    grace: float = field(default=60.0, validator=validators.ge(0))
    settle: float = field(default=5.0, validator=validators.ge(0))
    sweep_every: float = field(default=3600.0, validator=_positive)
    repair_rate: float = field(default=200.0, validator=_positive)
    repairs_at_once: int = field(default=8, validator=[validators.ge(1), validators.le(1000)])
    tidy_after: float = field(default=3600.0, validator=validators.ge(0))
    tidy_rate: float = field(default=20.0, validator=_positive)
    uneven: float = field(default=0.1, validator=[validators.gt(0), validators.le(1)])
