"""A fetcher for tests, and a server that says what it is told."""

from collections.abc import Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol

from agents.crawler.network.connections import Connections
from agents.crawler.network.fetcher import Answer, Fetcher
from agents.crawler.network.proxies import read_proxy
from agents.order import Access, Politeness
from anet.http import permit_all
from anet.tasks import sleep


class Fetching:
    """A fetcher that notes its waits instead of waiting."""

    def __init__(
        self,
        silence: float = 5.0,
        access: Access | None = None,
        permit: Callable[[str], bool] = permit_all,
        **politeness: Any,
    ) -> None:
        access = access or Access()
        self.waits: list[tuple[float, str]] = []
        self.connections = Connections(
            reactor, permit, 5.0, silence, proxy=read_proxy(access.proxy), http2=access.http2
        )
        self.fetcher = Fetcher(
            reactor,
            self.connections,
            Politeness(**({"delay": 0.0} | politeness)),
            longest_rest=60.0,
            longest_exchange=10.0,
            wait=self.wait,
            access=access,
        )

    def wait(self, seconds: float, reason: str) -> Deferred[None]:
        """Note a wait, and do not wait."""
        self.waits.append((seconds, reason))
        return sleep(reactor, 0)

    async def get(self, url: str, **options: Any) -> tuple[Answer, bytes]:
        """Return what a URL answers, and the body."""
        body = bytearray()
        answer = await self.fetcher.fetch(url, lambda _: body.extend, **options)
        return answer, bytes(body)


class Script(Protocol):
    """Gives the factory's answers, one a request; a closing follows each that is marked so."""

    factory: Any

    def dataReceived(self, data: bytes) -> None:
        """Answer."""
        self.factory.requests.append(data)
        answers = self.factory.answers
        answer, closes = answers.pop(0) if len(answers) > 1 else answers[0]
        self.transport.write(answer)
        if closes:
            self.transport.loseConnection()


def scripted(*answers: tuple[bytes, bool]) -> Any:
    """Listen with answers; the last one is given again and again."""
    factory: Any = Factory.forProtocol(Script)
    factory.answers, factory.requests = list(answers), []
    factory.port = reactor.listenTCP(0, factory, interface="127.0.0.1")
    factory.url = f"http://127.0.0.1:{factory.port.getHost().port}/"
    return factory
