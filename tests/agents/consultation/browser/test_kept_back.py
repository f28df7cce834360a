"""What access rules keep back is shown through no door of the agent as it runs."""

import http.client
import json
from contextlib import closing
from urllib.parse import quote

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

URL = "http://a.example/private/page"
OLD, NEW = "20100101000000000000", "20200101000000000000"
RULE = """- urls: a.example/private
  kind: takedown
  to: 2015
  reason: Asked for by the publisher.
"""
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


@pytest.fixture
def keys(tmp_path):
    """The rules are there before the agent."""
    (tmp_path / "access-rules.yaml").write_text(RULE)
    return {"audit_log": True}


def ask(server, target, **fields):
    """Return status, fields and body of an answer."""
    host, _, port = server.address.partition(":")
    with closing(http.client.HTTPConnection(host, int(port), timeout=10)) as connection:
        given = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request("GET", target, headers=given)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


@ensureDeferred
async def test_no_door_shows_what_is_kept_back(archive, consultation, tmp_path):
    """The proxy says 451 with the reason; lists leave the capture out, and keep the others."""
    archive.add(URL, b"<p>secret", head=HTML, date=OLD)
    archive.add(URL, b"<p>shown", head=HTML, date=NEW)
    quoted = quote(URL, safe="")
    old = {"Accept_Datetime": "Fri, 01 Jan 2010 00:00:00 GMT"}

    def through_all_doors():
        proxy, pages = consultation.proxy, consultation.pages
        kept = ask(proxy, URL, **old, Accept="text/html")
        lists = {
            target: ask(pages, target, Accept="application/json")
            for target in (
                f"/captures?url={quoted}&format=json",
                f"/captures?url={quoted}",
                f"/timemap/link/{URL}",
                f"/cdx?url={quoted}&output=json",
                f"/api/1/captures?url={quoted}",
            )
        }
        return kept, ask(proxy, URL), lists

    kept, newest, lists = await deferToThread(through_all_doors)
    assert kept[0] == 451 and b"Asked for by the publisher." in kept[2]
    assert kept[1]["Link"] == '<http://dlweb/>; rel="blocked-by"'
    assert (newest[0], newest[2]) == (200, b"<p>shown")
    assert "2020" in newest[1]["Link"] and "2010" not in newest[1]["Link"]
    for target, (status, _, body) in lists.items():
        assert status == 200 and b"2020" in body, target
        assert OLD[:14].encode() not in body and b"01 Jan 2010" not in body, target
    await consultation.keeping.audit.flush()
    lines = (tmp_path / "consultation" / "audit.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    answers = [one for one in told if one.get("url") == URL]
    assert [(one["status"], one["outcome"], one["capture"]) for one in answers] == [
        (451, "kept-back", ""), (200, "hit", NEW),
    ]  # fmt: skip
    assert sum(one.get("outcome") == "harbor" for one in told) == len(lists)


@ensureDeferred
async def test_every_door_says_why(archive, consultation):
    """Whoever asks for the capture that is kept back gets 451 and the reason, wherever they ask."""
    archive.add(URL, b"<p>secret", head=HTML, date=OLD)
    archive.add(URL, b"<p>shown", head=HTML, date=NEW)
    quoted = quote(URL, safe="")
    doors = [
        (consultation.proxy, URL),
        (consultation.replay, f"/web/2010id_/{URL}"),
        (consultation.replay, f"/web/2010/{URL}"),
        (consultation.pages, f"/timegate/{URL}"),
        (consultation.pages, f"/warc/2010id_/{URL}"),
        (consultation.pages, f"/difference?url={quoted}&from=2010&to=2020"),
        *(
            (consultation.pages, f"/api/1/{name}?url={quoted}&date=2010")
            for name in ("capture", "content", "links", "text")
        ),
    ]

    def through_all_doors():
        return [ask(server, target, Accept_Datetime="2010") for server, target in doors]

    answers = await deferToThread(through_all_doors)
    for (_, target), (status, _, body) in zip(doors, answers, strict=True):
        assert status == 451 and b"Asked for by the publisher." in body, target
        assert b"secret" not in body, target
