"""The `connectivity` section of the configuration."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.machines import machine_field

_positive = validators.gt(0.0)


@frozen
class ConnectivityConfig:
    """How finished crawls are deposited.

    Attributes:
        scheduler: the scheduler's HIP address, "host:port"; null means the base port.
        storage_master: the storage master's HIP address; null means base port + 2.
        pages: where the monitoring page is; null means base port + 8.
        machine: name of the machine whose crawls this agent reaches; null means its host name.
        batch_captures: captures recorded with one call to the index node.
        batch_bytes: bytes of the crawl's structure read for one such call.
        puts_at_once: contents sent at once for one deposit; a storage node makes all that come
            together durable with one sync.
        answer_timeout: seconds for an answer of the scheduler, the index node or a storage node.
        patience: seconds without any progress after which a deposit is given back to the
            scheduler, which asks again later.
        replica_tries: times that a content is offered to all nodes it should go to, before one
            copy is enough to go on; the storage master has the other copies made.
        report_limit: bytes of a crawl's report past which it is not read.
    """

    scheduler: str | None = field(default=None, validator=is_link_address)
    storage_master: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    machine: str | None = machine_field()
    batch_captures: int = field(default=500, validator=[validators.ge(1), validators.le(10_000)])
    batch_bytes: int = field(
        default=4 * 2**20, validator=[validators.ge(1024), validators.le(8 * 2**20)]
    )
    puts_at_once: int = field(default=64, validator=validators.ge(1))
    answer_timeout: float = field(default=60.0, validator=_positive)
    patience: float = field(default=300.0, validator=_positive)
    replica_tries: int = field(default=3, validator=validators.ge(1))
    report_limit: int = field(default=256 * 2**20, validator=validators.ge(1024))
