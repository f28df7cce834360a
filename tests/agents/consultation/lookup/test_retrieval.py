"""From a URL and a date to a capture and its content, or a clear fault."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.protocol import Factory, Protocol

from agents.capture import Capture, content_key, structure_key
from agents.consultation.access.rules import Rules
from agents.consultation.errors import ContentDamaged, Faulted, NodesFailed
from agents.consultation.lookup.contents import HELD_LIMIT
from agents.consultation.lookup.locators import AutoLocator, IndexLocator, MulticastLocator
from agents.consultation.lookup.remembered import Remembered
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Structures
from anet.tasks import Tasks, sleep
from anet.together import together

URL = "http://www.example.org/"
OLD, NEW = "20200101000000000000", "20260101000000000000"


async def body_of(archive, url=URL, date=""):
    """Return the bytes of a URL at a date."""
    found = await archive.retrieval.retrieve(url, date)
    return b"".join([piece async for piece in found.content])


@pytest.mark.parametrize(
    ("date", "body"),
    [
        ("", b"new"),
        (OLD, b"old"),
        ("20210101000000000000", b"old"),
        ("20250101000000000000", b"new"),
    ],
)
@ensureDeferred
async def test_the_nearest_capture_is_given(archive, date, body):
    """The capture nearest to the date answers; no date means the newest."""
    archive.add(URL, b"old", date=OLD)
    archive.add(URL, b"new", date=NEW)
    assert await body_of(archive, date=date) == body


@ensureDeferred
async def test_an_unknown_url_is_404(archive):
    """A URL without structure file is unknown (INA §2.3.2)."""
    with pytest.raises(Faulted) as raised:
        await archive.retrieval.retrieve(URL, "")
    assert raised.value.fault.status == 404


@ensureDeferred
async def test_a_missing_content_is_500(archive):
    """A capture without its content is a fault of the archive (INA §2.3.2)."""
    capture = archive.add(URL, b"body")
    archive.first.contents.clear()
    archive.second.contents.clear()
    for head_only in (False, True):
        with pytest.raises(Faulted) as raised:
            await archive.retrieval.retrieve(URL, "", head_only=head_only)
        assert raised.value.fault.status == 500
        assert capture.content in raised.value.fault.message


@ensureDeferred
async def test_an_archive_that_does_not_answer_is_503(archive):
    """Without index nothing is known, which is not the same as nothing held."""
    archive.add(URL, b"body")
    archive.locator.broken = True
    with pytest.raises(Faulted) as raised:
        await archive.retrieval.retrieve(URL, "")
    assert raised.value.fault.status == 503


@ensureDeferred
async def test_a_structure_is_read_from_the_next_node(archive):
    """A node that died after it was located does not matter."""
    archive.add(URL, b"body")
    await archive.first.server.stopService()
    assert await body_of(archive) == b"body"


@ensureDeferred
async def test_no_node_with_the_structure_answers(archive):
    """All nodes of a known URL down is 500, not 404: the archive knows it and cannot give it."""
    archive.add(URL, b"body")
    for node in (archive.first, archive.second):
        await node.server.stopService()
    with pytest.raises(Faulted) as raised:
        await archive.retrieval.retrieve(URL, "")
    assert (raised.value.fault.status, raised.value.fault.code) == (500, "missing-captures")


@pytest.mark.parametrize("kind", ["structures", "contents"])
@pytest.mark.parametrize("way", ["index", "multicast", "auto"])
@ensureDeferred
async def test_what_a_node_is_named_for_and_lacks_is_500(archive, reactor, kind, way):
    """Whoever named the nodes, and whatever they lack, it is not unknown (INA §2.3.2)."""

    class Groups:
        async def find(self, kind, key, timeout):
            return await named(kind, key.hex())

    async def named(asked, key):
        nodes = await archive.locator.locate(asked, key)
        return nodes or ([archive.first.url, archive.second.url] if asked == kind else [])

    archive.add(URL, b"body")
    index, multicast = IndexLocator(named), MulticastLocator(Groups(), 1.0)
    auto = AutoLocator(reactor, Tasks(), multicast, index)
    locator = {"index": index, "multicast": multicast, "auto": auto}[way]
    retrieval = Retrieval(
        Remembered(reactor, locator),
        Structures(archive.client, archive.quick),
        archive.client,
        Rules(),
    )
    assert (await retrieval.retrieve(URL, "")).nearest.capture.url == URL
    for node in (archive.first, archive.second):
        (node.captures if kind == "structures" else node.contents).clear()
    with pytest.raises(Faulted) as raised:
        await retrieval.retrieve(URL, "")
    assert raised.value.fault.status == 500
    if kind == "structures":
        with pytest.raises(NodesFailed):
            await retrieval.captures(URL)


@ensureDeferred
async def test_a_content_that_nobody_can_look_up_is_500(archive):
    """The URL is known, so that its content is missing, and not unknown."""
    archive.add(URL, b"body")
    locate = archive.locator.locate

    async def breaks(kind, key):
        archive.locator.broken = kind == "contents"
        return await locate(kind, key)

    archive.locator.locate = breaks
    with pytest.raises(Faulted) as raised:
        await archive.retrieval.retrieve(URL, "")
    assert (raised.value.fault.status, raised.value.fault.code) == (500, "missing-content")


@ensureDeferred
async def test_an_answer_that_is_no_structure_is_passed_over(archive, serve):
    """A node that answers nonsense is one that failed."""
    from anet.http import Response

    async def nonsense(_):
        return Response.text(200, "<html>")

    archive.add(URL, b"body")
    archive.locator.extra = [f"http://{serve(nonsense)}"]
    assert await body_of(archive) == b"body"


@ensureDeferred
async def test_a_capture_of_another_url_is_not_believed(archive):
    """A node that mixes up its structure files is passed over, and alone it is no answer."""
    archive.add(URL, b"right")
    other = archive.add("http://other.example/", b"wrong")
    archive.first.captures[structure_key(URL)] = [other]
    assert await body_of(archive) == b"right"
    archive.second.captures[structure_key(URL)] = [other]
    with pytest.raises(Faulted) as error:
        await body_of(archive)
    assert error.value.fault.status == 500


@ensureDeferred
async def test_http_gives_the_https_capture_where_there_is_no_other(archive):
    """A browser without tunnels reaches what was collected by https."""
    archive.add("https://www.example.org/", b"secure")
    found = await archive.retrieval.retrieve(URL, "")
    assert found.nearest.capture.url == "https://www.example.org/"


@ensureDeferred
async def test_a_redirect_to_https_alone_is_passed(archive):
    """The redirect that browsers could not follow is replaced by where it leads."""
    head = b"HTTP/1.1 301 Moved\r\nLocation: https://www.example.org/\r\n\r\n"
    archive.add(URL, b"moved", head=head)
    assert await body_of(archive) == b"moved"
    archive.add("https://www.example.org/", b"secure")
    assert await body_of(archive) == b"secure"


@ensureDeferred
async def test_https_for_http_can_be_refused(archive, reactor):
    """Without `secure_as_plain` every URL gives its own captures only."""
    archive.add("https://www.example.org/", b"secure")
    strict = Retrieval(
        Remembered(reactor, archive.locator),
        Structures(archive.client, archive.quick),
        archive.client,
        Rules(),
        secure_as_plain=False,
    )
    with pytest.raises(Faulted):
        await strict.retrieve(URL, "")


@ensureDeferred
async def test_the_captures_of_all_copies_are_merged(archive):
    """Each copy of a structure file is a set of captures; the union is given, in order."""
    archive.add(URL, b"both", date="20230101000000000000")
    for node, body, date in ((archive.first, b"old", OLD), (archive.second, b"new", NEW)):
        node.add(Capture(URL, date, content_key(body), 3, 200, b""), body)
    captures = await archive.retrieval.captures(URL)
    assert [line.date[:4] for line in captures] == ["2020", "2023", "2026"]


@ensureDeferred
async def test_no_copy_of_the_captures(archive):
    """An unknown URL has no captures; a known one whose nodes are down fails."""
    assert await archive.retrieval.captures(URL) == []
    archive.add(URL, b"body")
    for node in (archive.first, archive.second):
        await node.server.stopService()
    with pytest.raises(NodesFailed):
        await archive.retrieval.captures(URL)


@ensureDeferred
async def test_a_url_with_a_session_is_found_without_it(archive):
    """What a crawler collected without its session is found for a link that has one."""
    asked = URL + "page?x=1&PHPSESSID=0123456789abcdef0123456789abcdef"
    archive.add(URL + "page?x=1", b"without")
    assert await body_of(archive, asked) == b"without"
    assert [line.url for line in await archive.retrieval.captures(asked)] == [URL + "page?x=1"]
    archive.add(asked, b"with")
    assert await body_of(archive, asked) == b"with"
    assert [line.url for line in await archive.retrieval.captures(asked)] == [asked]


@ensureDeferred
async def test_a_redirection_to_a_session_is_no_circle(archive):
    """A page that does nothing but give a session is no answer to the URL with the session."""
    asked = URL + "?PHPSESSID=0123456789abcdef0123456789abcdef"
    archive.add(URL, b"", head=f"HTTP/1.1 302 Found\r\nLocation: {asked}\r\n\r\n".encode())
    with pytest.raises(Faulted) as raised:
        await body_of(archive, asked)
    assert raised.value.fault.status == 404


def alike_of(archive, *urls, **keys):
    """Return a retrieval to which these URLs are held equal to any, and what it asks."""
    asked = []

    async def alike(url):
        asked.append(url)
        return list(urls)

    of = archive.retrieval
    made = Retrieval(of.locator, of._structures, archive.client, Rules(), alike=alike, **keys)
    return made, asked


@ensureDeferred
async def test_what_is_there_is_not_likened(archive):
    """A hit of the exact URL, or without its session, costs no fuzzy look-up."""
    archive.add(URL, b"exact")
    retrieval, asked = alike_of(archive, URL + "other")
    await retrieval.find(URL, "")
    await retrieval.find(URL + "?PHPSESSID=0123456789abcdef0123456789abcdef", "")
    assert asked == []


@ensureDeferred
async def test_the_nearest_of_a_few_alike_is_given(archive):
    """Among the closest three the capture nearest to the date answers."""
    for number, date in enumerate([OLD, NEW, "20230101000000000000", "20220101000000000000"]):
        archive.add(f"{URL}?{number}", b"x", date=date)
    retrieval, asked = alike_of(archive, *(f"{URL}?{number}" for number in range(4)))
    for date, number in [("", 1), (OLD, 0), ("20220201000000000000", 2)]:
        found = await retrieval.find(URL + "gone", date)
        assert found.capture.url == f"{URL}?{number}"
    assert asked == [URL + "gone"] * 3


@ensureDeferred
async def test_an_alike_that_leads_back_is_no_answer(archive):
    """A redirect to what was asked would be followed again and again."""
    head = b"HTTP/1.1 301 Moved\r\nLocation: /asked\r\n\r\n"
    archive.add(URL, b"moved", head=head)
    retrieval, _ = alike_of(archive, URL)
    with pytest.raises(Faulted) as raised:
        await retrieval.find(URL + "asked", "")
    assert raised.value.fault.status == 404
    assert (await retrieval.find(URL + "other", "")).capture.url == URL


@ensureDeferred
async def test_an_alike_that_cannot_be_had_is_passed_over(archive):
    """What nodes should have and do not give is another URL's trouble."""
    archive.add(URL + "b", b"there")
    archive.add(URL + "a", b"lost")
    locate = archive.locator.locate

    async def says(kind, key):
        return (
            ["http://127.0.0.1:1"] if key == structure_key(URL + "a") else await locate(kind, key)
        )

    archive.locator.locate = says
    retrieval, _ = alike_of(archive, URL + "a", URL + "b")
    assert (await retrieval.find(URL + "asked", "")).capture.url == URL + "b"


@ensureDeferred
async def test_a_capture_is_found_by_its_key(archive):
    """A structure key and a date name a capture; another date names none."""
    archive.add(URL, b"body", date=OLD)
    found = await archive.retrieval.of_key(structure_key(URL), OLD)
    assert found.capture.url == URL
    for key, date in [(structure_key(URL), NEW), ("0" * 64, OLD)]:
        with pytest.raises(Faulted) as raised:
            await archive.retrieval.of_key(key, date)
        assert raised.value.fault.status == 404


@pytest.mark.parametrize("gives_content", [False, True])
@ensureDeferred
async def test_all_who_wait_are_led_to_where_a_capture_has_moved(archive, reactor, gives_content):
    """What was remembered is wrong for every one of those who asked at the same time."""
    archive.add(URL, b"body")
    archive.first.gives_content = archive.second.gives_content = gives_content
    moved = archive.second.captures, archive.second.contents
    archive.second.captures, archive.second.contents = {}, {}
    assert await body_of(archive) == b"body"
    archive.second.captures, archive.second.contents = moved
    archive.first.captures, archive.first.contents = {}, {}
    locate = archive.locator.locate

    async def asked_over_a_network(kind, key):
        await sleep(reactor, 0.01)
        return await locate(kind, key)

    archive.locator.locate = asked_over_a_network
    found = await together(body_of(archive) for _ in range(5))
    assert found == [b"body"] * 5


@ensureDeferred
async def test_a_node_that_hangs_holds_nobody_up_twice(archive, reactor):
    """Another node is asked soon, and for a while the one that hangs is asked last."""
    for number in range(5):
        archive.add(URL + str(number), b"%d" % number)
    hung = reactor.listenTCP(0, Factory.forProtocol(Protocol), interface="127.0.0.1")
    archive.locator.extra = [f"http://127.0.0.1:{hung.getHost().port}"]
    began = reactor.seconds()
    bodies = await together(body_of(archive, URL + str(number)) for number in range(4))
    assert bodies == [b"%d" % number for number in range(4)]
    assert reactor.seconds() - began < 1.9  # one that is alone is given up after two seconds here
    began = reactor.seconds()
    assert await body_of(archive, URL + "4") == b"4"
    assert reactor.seconds() - began < 0.2
    await hung.stopListening()


@ensureDeferred
async def test_the_only_node_has_its_time(archive, reactor):
    """One that is slow is waited for where no other has the answer."""
    archive.add(URL, b"body")
    archive.first.slow = 1.2
    archive.second.captures.clear()
    archive.locator.extra = ["http://127.0.0.1:1"]
    assert await body_of(archive) == b"body"


@ensureDeferred
async def test_a_list_waits_once_for_a_node_that_hangs(archive, reactor):
    """After that the others are believed, as when it is down; unless they have nothing."""
    archive.add(URL, b"body")
    hung = reactor.listenTCP(0, Factory.forProtocol(Protocol), interface="127.0.0.1")
    archive.locator.extra = [f"http://127.0.0.1:{hung.getHost().port}"]
    assert len(await archive.retrieval.captures(URL)) == 1
    began = reactor.seconds()
    for _ in range(3):
        assert len(await archive.retrieval.captures(URL)) == 1
    assert reactor.seconds() - began < 1.0
    archive.second.captures.clear()
    archive.locator.extra = []
    archive.retrieval._structures.silent.note(archive.first.url)
    assert len(await archive.retrieval.captures(URL)) == 1
    await hung.stopListening()


@ensureDeferred
async def test_a_date_that_is_none_is_not_likened(archive):
    """A node that tells nonsense of a URL held equal leaves the one asked for unknown."""
    archive.add(URL + "other", b"body", date="20269999000000000000")
    retrieval, _ = alike_of(archive, URL + "other")
    with pytest.raises(Faulted) as raised:
        await retrieval.find(URL + "asked", OLD)
    assert raised.value.fault.status == 404


@ensureDeferred
async def test_a_list_is_had_from_where_it_has_moved(archive):
    """What was remembered is no reason to know nothing, of all captures or of one."""
    capture = archive.add(URL, b"body")
    moved, archive.second.captures = archive.second.captures, {}
    assert len(await archive.retrieval.captures(URL)) == 1
    archive.second.captures, archive.first.captures = moved, {}
    assert len(await archive.retrieval.captures(URL)) == 1
    archive.second.captures, archive.first.captures = {}, moved
    found = await archive.retrieval.of_key(structure_key(URL), capture.date)
    assert found.capture == capture


@ensureDeferred
async def test_a_long_content_that_is_damaged_is_had_whole_the_next_time(archive):
    """Its end tells; whoever asks again is led to another node, and not to the same damage."""
    body = bytes(4 * HELD_LIMIT) + b"the end"
    capture = archive.add(URL, body)
    archive.first.contents[capture.content] = bytes(len(body))
    with pytest.raises(ContentDamaged):
        await body_of(archive)
    assert await body_of(archive) == body
