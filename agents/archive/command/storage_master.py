"""A command's link to the storage master of a running archive."""

from typing import Any

from agents.archive.command.agent_link import AgentLink
from agents.configuration import Configuration, Port
from agents.storage.master.operating import MasterStatus
from agents.storage.node.config import StorageNodeConfig
from anet.tasks import sleep

_PATIENCE = 10.0  # seconds for the master to answer
_ATTEMPTS = 2
_PERIOD = 1.0  # seconds between two looks at something that takes its time


class MasterLink(AgentLink):
    """Calls to the storage master; all of them may be repeated."""

    def __init__(self, reactor: Any, configuration: Configuration) -> None:
        self._reactor = reactor
        config = configuration.section("storage-node", StorageNodeConfig)
        address = configuration.address(Port.STORAGE_MASTER, config.storage_master)
        super().__init__(
            reactor,
            configuration,
            address,
            "the storage master",
            patience=_PATIENCE,
            attempts=_ATTEMPTS,
        )

    async def status(self) -> MasterStatus:
        """Return how the replication layer is."""
        return await self.call(MasterStatus, "status")

    async def pause(self) -> None:
        """Wait before the next look."""
        await sleep(self._reactor, _PERIOD)
