"""Captures as imports bring them, asked for at every door of the agent."""

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.consultation.urls.tables import Progress
from tests.agents.consultation.proxy.test_imported import imported
from tests.agents.consultation.test_kept_back import ask, doors_of
from tests.agents.consultation.test_service import Running

PAGE = b"<title>t</title><p>" + b"The ferry leaves the island at seven. " * 9


@pytest_twisted.async_yield_fixture
async def running(reactor, archive, tmp_path):
    """An agent over the archive."""
    (tmp_path / "sw.js").write_text("the engine")
    running = Running(reactor, archive, tmp_path, lookup="index", mining=True, mining_rate=1000.0,
                      url_index_period=0.05, date_by="address")  # fmt: skip
    yield running
    await running.stop()


ODD = (
    (b"HTTP/1.0 200\nContent-type: text/html\n\n", 200, "19961123050607000000"),
    (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", 200, "00010101000000000000"),
    (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", 200, "19691231235959999999"),
    (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", 200, "99991231235959999999"),
    (b"", 0, "20200101000000000000"),
    (b"no head\r\n\r\n", 200, "20200101000000000000"),
    (b"HTTP/1.1 999 No\r\nContent-Type: text/html\r\n\r\n", 999, "20200101000000000000"),
    (b"HTTP/1.1 304 No\r\nContent-Type: text/html\r\n\r\n", 304, "20200101000000000000"),
    (b"HTTP/1.1 206 Part\r\nContent-Range: bytes 5-/*\r\n\r\n", 206, "20200101000000000000"),
    (b"HTTP/1.1 302\r\nLocation: \xff:\r\n\r\n", 302, "20200101000000000000"),
    (b"HTTP/1.1 200 OK\r\nContent-Type: \xff/\xff;charset=\r\n"
     b"Content-Encoding: gzip, x\r\n\r\n", 200, "20200101000000000000"),
)  # fmt: skip


@pytest.mark.slow
@ensureDeferred
async def test_no_door_stumbles(running, archive):
    """What is odd in a record is shown as it is, or said; it is never a mistake of the agent."""
    captures = {}
    for number, (head, status, date) in enumerate(ODD):
        url = f"http://old.example/{number}"
        captures[url] = imported(archive, head, PAGE, status, date, url)
        imported(archive, head, PAGE, status, "20100101000000000000", url)
    agent = running.agent
    await agent.looking.urls.index.add("node", Progress(), list(captures))
    for url, capture in captures.items():
        answers = {}
        for one in doors_of(url, capture.date):
            answers[str(one)] = await deferToThread(ask, agent, *one)
        mistakes = {one: answer for one, answer in answers.items() if answer.startswith(b"500")}
        assert not mistakes
        found = [answer for answer in answers.values() if capture.date.encode() in answer]
        assert len(found) > len(answers) / 4, url  # else this proves little
