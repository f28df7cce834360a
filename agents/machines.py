"""What agents say of the machines that they run on, and a scheduler of what it knows of these."""

from socket import gethostname
from typing import Any

from attrs import field, frozen, validators

LONGEST = 200  # characters of a machine's name


def machine_field() -> str | None:
    """Return a field of a configuration that names a machine."""
    checks: list[Any] = [validators.min_len(1), validators.max_len(LONGEST)]
    named: str | None = field(default=None, validator=validators.optional(checks))
    return named


def machine_name(configured: str | None) -> str:
    """Return the name of this machine: the configured, or its host name."""
    return configured or gethostname()


@frozen
class NurseryRoom:
    """What a nursery keeps, and could.

    Attributes:
        machine: whose crawlers it forks.
        crawlers: names of those that it keeps.
        maximum: how many it will ever keep.
    """

    machine: str
    crawlers: list[str]
    maximum: int

    @property
    def left(self) -> int:
        """How many more it would fork."""
        return max(0, self.maximum - len(self.crawlers))


@frozen
class MachineStatus:
    """A machine that crawlers run on.

    Attributes:
        machine: its name.
        state: active, or draining: it gets no new work.
        crawlers: of it, that are linked or waited for.
        busy: of these, the ones that collect.
        maximum: crawlers that its nurseries will fork.
        undeposited: crawls that lie there and are not yet durable in storage.
        folders: that lie there and are to be removed.
        connectivity: agents that serve it.
        problem: what a person has to do something about, or empty.
    """

    machine: str
    state: str
    crawlers: int = 0
    busy: int = 0
    maximum: int = 0
    undeposited: int = 0
    folders: int = 0
    connectivity: list[str] = field(factory=list)
    problem: str = ""

    @property
    def idle(self) -> bool:
        """Whether it may be switched off: nothing is done there, and nothing is left."""
        return not (self.busy or self.undeposited)
