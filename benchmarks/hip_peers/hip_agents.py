"""HIP by its public interface: an agent as master, and agents that are its slaves.

Methods and callers are coroutines. Variants: in `plain` both are plain functions (as they are for
AMP and Perspective Broker), `yaml` speaks YAML instead of MessagePack, `tls` links by mutual TLS.
"""

from functools import partial
from pathlib import Path
from typing import Any

from measuring import VALUE, Job, Window, fail
from on_twisted import Call, Peer, by_callbacks, run
from twisted.internet.defer import Deferred

from hip import Agent, Limits, Security, exposed


class Echo:
    """What the master offers."""

    @exposed
    async def echo(self, url: str, depth: int, status: int) -> dict[str, Any]:
        """Give back what it is given; a coroutine."""
        return {"url": url, "depth": depth, "status": status}


class Hip(Peer):
    """HIP."""

    def __init__(self, reactor: Any, job: Job) -> None:
        super().__init__(reactor, job)
        self.keep_calling = by_coroutines if job.variant == "awaited" else by_callbacks
        self._serializer = "yaml" if job.variant == "yaml" else "msgpack"

    def _agent(self, name: str, kind: str, methods: list[object]) -> Agent:
        folder = Path(self.job.certificates) / kind
        security = Security.of_folder(folder) if self.job.variant == "tls" else Security()
        limits = Limits(links=max(100, self.job.connections))
        return Agent(
            self.reactor,
            kind,
            name,
            methods,
            limits=limits,
            security=security,
            serializers=[self._serializer],
        )

    async def listen(self) -> int:
        """Begin to serve; return the port."""
        agent = self._agent("master", "master", [Echo()])
        listener = agent.listen("127.0.0.1:0")
        agent.startService()
        return listener.port

    async def connect(self, port: int, number: int) -> Call:
        """Return how to call over a new connection, of an agent of its own."""
        agent = self._agent(f"slave-{number}", "slave", [])
        link = agent.connect(f"127.0.0.1:{port}")
        agent.startService()
        master = await link.connected()
        if master.serializer != self._serializer:
            fail(f"{master.serializer} is spoken, not {self._serializer}")
        return partial(master.call, "echo", **VALUE)


def by_coroutines(call: Call, window: Window, count: int) -> None:
    """Keep calls in flight by coroutines that await one answer after the other."""

    async def again_and_again() -> None:
        while not window.closed:
            await call()
            window.calls += 1

    for _ in range(count):
        Deferred.fromCoroutine(again_and_again()).addErrback(window.fail)


if __name__ == "__main__":
    run(Hip)
