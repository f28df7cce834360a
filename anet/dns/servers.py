"""Asking name servers in turn until one answers."""

from typing import Any

from attrs import evolve
from twisted.internet.defer import Deferred, TimeoutError

from anet.dns.answers import Absent, Alias, Failed, Found, read_answer
from anet.dns.exchange import ask
from anet.dns.question import Question
from anet.dns.system import Server, Settings
from anet.errors import ConnectFailed, HttpError, TimedOut

_FOREVER = 2**31 - 1


class Servers:
    """Asks name servers in turn; the one that answered last is asked first the next time.

    Attributes:
        queries: questions sent so far.
    """

    def __init__(self, reactor: Any, patience: float) -> None:
        """Ask servers.

        Args:
            reactor: which reactor.
            patience: seconds for one look-up: all servers, attempts and aliases together.
        """
        self.queries = 0
        self._reactor = reactor
        self._patience = patience
        self._good: Server | None = None

    async def look_up(self, name: str, kind: int, settings: Settings) -> Found | Absent | Failed:
        """Return what the servers say about one kind of addresses of a name."""
        looking = Deferred.fromCoroutine(self._look_up(name, kind, settings))
        try:
            return await looking.addTimeout(self._patience, self._reactor)
        except TimeoutError:
            return Failed(f"none of the name servers within {self._patience:g} seconds", True)
        except HttpError as error:
            return Failed(str(error), isinstance(error, TimedOut))

    async def _look_up(self, name: str, kind: int, settings: Settings) -> Found | Absent:
        answer: Found | Absent | Alias = Alias((name,), _FOREVER)
        while isinstance(answer, Alias):  # its trail grows, and is bounded
            answer = _no_longer_than(
                answer.ttl, await self._ask_in_turn(answer.trail, kind, settings)
            )
        return answer

    async def _ask_in_turn(
        self, trail: tuple[str, ...], kind: int, settings: Settings
    ) -> Found | Absent | Alias:
        """Return the first useful answer about the last name of a trail."""
        failure: HttpError = ConnectFailed("there are no name servers")
        for server in self._in_order(settings.servers) * settings.attempts:
            self.queries += 1
            question = Question(trail[-1], kind)
            try:
                message = await ask(self._reactor, server, question, settings.timeout)
                answer = read_answer(message, trail, kind)
            except HttpError as error:
                failure = type(error)(f"server {server} {error}")
            else:
                self._good = server
                return answer
        raise failure

    def _in_order(self, servers: tuple[Server, ...]) -> tuple[Server, ...]:
        if self._good not in servers:
            return servers
        return (self._good, *(server for server in servers if server != self._good))


def _no_longer_than(seconds: int, answer: Found | Absent | Alias) -> Found | Absent | Alias:
    """Return an answer that is kept no longer than the aliases that led to it."""
    if answer.ttl is None:
        return answer
    return evolve(answer, ttl=min(answer.ttl, seconds))
