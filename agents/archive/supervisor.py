"""The service that keeps all agents of an archive running."""

import os
from collections.abc import Callable
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.protocol import ProcessProtocol
from twisted.python.logfile import LogFile

from agents.archive import child
from agents.archive.agent_process import AgentProcess
from agents.archive.config import ArchiveConfig
from agents.archive.plan import Program
from agents.archive.ready import answers
from agents.configuration import Configuration, private_folder
from anet import logs
from anet.tasks import Tasks, sleep

_ASK_EVERY = 0.2  # seconds between two looks at whether an agent answers


class Supervisor(Service):
    """Starts the agents, starts again those that die, and stops all of them.

    Args:
        reactor: spawns, waits and connects.
        configuration: the tree's.
        config: the `archive` section.
        programs: the agents.
        on_refused: called once, with a message, when an agent refuses its configuration.

    Attributes:
        agents: each agent's program and process.
    """

    name = "supervisor"

    def __init__(
        self,
        reactor: Any,
        configuration: Configuration,
        config: ArchiveConfig,
        programs: list[Program],
        on_refused: Callable[[str], None],
    ) -> None:
        self._reactor = reactor
        self._configuration = configuration
        self._config = config
        self._on_refused = on_refused
        self._tasks = Tasks()
        self.agents = [(program, self._process(program)) for program in programs]

    def startService(self) -> None:
        """Start every agent; none of them waits for another."""
        super().startService()
        for program, process in self.agents:
            process.start()
            self._tasks.start(self._watch(program, process), f"watching {program.name}")

    async def _stop(self) -> None:
        await self._tasks.stop()
        await DeferredList([process.stop() for _, process in self.agents])

    def stopService(self) -> Deferred[None]:
        """Stop every agent, in the time that the configuration gives; then kill what is left."""
        super().stopService()
        return Deferred.fromCoroutine(self._stop())

    @property
    def ready(self) -> bool:
        """Whether every agent is running and answers."""
        return all(process.status.state == "running" for _, process in self.agents)

    async def _watch(self, program: Program, process: AgentProcess) -> None:
        """Note when the agent answers, each time that it has been started."""
        while True:
            if process.status.state == "starting":
                addresses = program.listens.values()
                if all([await answers(self._reactor, address) for address in addresses]):
                    process.answered()
            await sleep(self._reactor, _ASK_EVERY)

    def _process(self, program: Program) -> AgentProcess:
        folder = private_folder(self._configuration.directory / "log")
        log = LogFile(
            f"{program.name}.log",
            str(folder),
            rotateLength=self._config.log_size,
            maxRotatedFiles=self._config.log_files,
            defaultMode=0o600,
        )
        command = child.command(program.arguments(self._configuration))
        environment = {**os.environ, logs.VARIABLE: self._config.logs}

        def spawn(protocol: ProcessProtocol) -> Any:
            return self._reactor.spawnProcess(protocol, command[0], command, env=environment)

        def refused(last_words: str) -> None:
            self._on_refused(last_words or f"{program.name} refuses its configuration")

        return AgentProcess(program.name, spawn, self._reactor, self._config, log, refused)
