"""The `nursery` section of the configuration."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.machines import machine_field

_positive = validators.gt(0.0)


@frozen
class NurseryConfig:
    """How many site crawlers a nursery keeps on its machine.

    Attributes:
        scheduler: the scheduler's HIP address, "host:port"; null means the base port.
        pages: where the monitoring page is; null means base port + 9.
        crawlers: site crawlers to begin with.
        maximum: site crawlers that it will ever fork at the scheduler's wish.
        machine: name of its machine, and its crawlers'; null means the host name.
        first_number: number of its first crawler; on each machine crawlers need other numbers.
        restart_first: seconds before a crawler that died is replaced; doubles each time.
        restart_longest: seconds that this wait grows to.
        steady_after: seconds that a crawler must live before its next death counts as its first.
    """

    scheduler: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    crawlers: int = field(default=2, validator=validators.ge(0))
    maximum: int = field(default=16, validator=validators.ge(1))
    machine: str | None = machine_field()
    first_number: int = field(default=1, validator=validators.ge(1))
    restart_first: float = field(default=0.5, validator=_positive)
    restart_longest: float = field(default=30.0, validator=_positive)
    steady_after: float = field(default=60.0, validator=validators.ge(0.0))
