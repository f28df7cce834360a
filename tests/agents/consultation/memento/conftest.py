"""An archive with its TimeGates and TimeMaps, its replay server and its proxy, on real servers."""

import http.client
from types import SimpleNamespace

import pytest
from twisted.internet.threads import deferToThread

from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.faults.missing import Missing
from agents.consultation.measures import Measures
from agents.consultation.memento.answers import Mementos
from agents.consultation.memento.fields import Addresses
from agents.consultation.proxy.proxy import Proxy
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.consultation.replay.engine import EngineMissing
from agents.consultation.replay.replay import Replay
from anet.http import Router


class Room:
    """The servers, and a client of them."""

    def __init__(self, archive, reactor, serve) -> None:
        self.archive = archive
        self.rules = Rules()
        shared = {
            "clock": reactor,
            "doors": Doors(),
            "retrieval": archive.retrieval,
            "missing": Missing(10),
            "measures": Measures(),
            "audit": Audit(),
        }
        late = SimpleNamespace()  # the addresses are known once the servers listen

        async def replay(request):
            return await late.replay(request)

        async def pages(request):
            return await late.pages(request)

        self.replay, self.pages = serve(replay), serve(pages)
        self.addresses = Addresses(f"http://{self.pages}", f"http://{self.replay}")
        mementos = Mementos(shared["doors"], archive.retrieval, self.rules, self.addresses)
        late.pages = mementos.add_to(Router())
        late.replay = Replay(**shared, addresses=self.addresses, script=EngineMissing("not here"))
        proxy = Proxy(**shared, readers=Readers(10), screens=Screens(), harbor=late.pages)
        self.proxy = serve(proxy)

    async def ask(self, server, target, method="GET", **fields):
        """Return status, fields and body of an answer."""

        def ask():
            host, _, port = server.partition(":")
            connection = http.client.HTTPConnection(host, int(port), timeout=10)
            headers = {name.replace("_", "-"): value for name, value in fields.items()}
            connection.request(method, target, headers=headers)
            answer = connection.getresponse()
            found = answer.status, answer.headers, answer.read()
            connection.close()
            return found

        return await deferToThread(ask)


@pytest.fixture
def room(archive, reactor, serve):
    """An archive that is read in every way."""
    return Room(archive, reactor, serve)
