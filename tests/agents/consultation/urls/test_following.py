"""How the index learns what real storage nodes hold."""

import shutil

import pytest
from pytest_twisted import ensureDeferred

from agents.archive.kept_records import name_of
from agents.consultation.urls import following
from agents.consultation.urls.tables import Progress
from agents.stream import log_name
from anet.errors import AnetError
from anet.http import Response, Router
from anet.tasks import sleep

SOME = [f"http://example.org/{number}" for number in range(30)]


async def urls(made):
    """Return all URLs of an index."""
    return {each.url for each in (await made.index.urls(limit=10_000)).urls}


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    """Have lists of many pages."""
    monkeypatch.setattr(following, "PAGE", 4)
    monkeypatch.setattr(following, "PAUSE", 0)


@ensureDeferred
async def test_what_is_there_and_what_comes_is_taken_in(begin, nodes, reactor):
    """Lists of all nodes first, then what their logs say is new."""
    await nodes[0].add(*SOME[:20])
    await nodes[1].add(*SOME[10:])
    made = await begin()
    assert not made.index.complete
    await made.following.start()
    while not made.index.complete:
        await sleep(reactor, 0.01)
    assert await urls(made) == set(SOME)
    await nodes[1].add("http://later.example/")
    while "http://later.example/" not in await urls(made):
        await sleep(reactor, 0.01)
    assert made.index.count == len(SOME) + 1


@ensureDeferred
async def test_records_of_imports_are_no_urls(begin, nodes, reactor):
    """Their names are passed over, in the list and in the log, and all else is taken in."""
    name = name_of("kept.warc.gz", "0123456789abcdef")
    await nodes[0].add(*SOME, name)
    made = await begin()
    await made.following.follow(nodes[0].url)
    await nodes[0].add(f"{name}x", "http://later.example/")
    await made.following.follow(nodes[0].url)
    assert await urls(made) == {*SOME, "http://later.example/"}
    assert made.index.count == len(SOME) + 1


@ensureDeferred
async def test_logs_of_streams_are_told_of_and_no_urls(begin, nodes):
    """Those that are there, those that come, those that grow, and all of them at each start."""
    one, two = log_name("http://radio.example/"), log_name("rtsp://tv.example/1")
    await nodes[0].add(*SOME, one)
    made, heard = await begin(), []
    made.following._heard = heard.extend
    await made.following.follow(nodes[0].url)
    assert set(heard) == {one}
    await nodes[0].add(two)
    await made.following.follow(nodes[0].url)
    assert set(heard) == {one, two}
    assert await urls(made) == set(SOME)
    await made.stop()
    again = await begin()
    assert set(await again.index.logs()) == {one, two}
    assert again.index.count == len(SOME)


@ensureDeferred
async def test_it_goes_on_where_it_was(begin, nodes):
    """After a restart nothing is listed again; what came meanwhile is learnt from the logs."""
    await nodes[0].add(*SOME)
    first = await begin()
    await first.following.follow(nodes[0].url)
    await first.stop()
    await nodes[0].add("http://later.example/")
    second = await begin()
    second.following._progress = await second.index.progress()
    asked = []
    get = second.following._get

    async def noting(node, path, *others, **named):
        asked.append(path)
        return await get(node, path, *others, **named)

    second.following._get = noting
    await second.following.follow(nodes[0].url)
    assert "/urls" not in asked
    assert await urls(second) == {*SOME, "http://later.example/"}


@ensureDeferred
async def test_a_lost_index_is_made_again(begin, nodes, tmp_path):
    """The nodes alone are enough."""
    await nodes[0].add(*SOME)
    first = await begin()
    await first.following.follow(nodes[0].url)
    await first.stop()
    shutil.rmtree(tmp_path / "consultation")
    second = await begin()
    await second.following.follow(nodes[0].url)
    assert await urls(second) == set(SOME)


@ensureDeferred
async def test_another_log_has_the_node_listed_again(begin, nodes):
    """A log that was made again begins anew, and so does the list."""
    await nodes[0].add(*SOME[:9])
    made = await begin()
    await made.following.follow(nodes[0].url)
    name = nodes[0].disk.name
    before = made.following._progress[nodes[0].url]
    made.following._progress[nodes[0].url] = Progress(None, {name: ("0" * 32, 10**6)})
    await made.following.follow(nodes[0].url)
    assert made.following._progress[nodes[0].url] == before


@ensureDeferred
async def test_a_node_that_dies_is_gone_on_with(begin, nodes):
    """What was read of a list is kept, and the rest is read when the node is back."""
    await nodes[0].add(*SOME)
    made = await begin()
    get, calls = made.following._get, []

    async def failing(node, path, *others, **named):
        calls.append(path)
        if len(calls) == 4:
            raise AnetError("it is gone")
        return await get(node, path, *others, **named)

    made.following._get = failing
    with pytest.raises(AnetError):
        await made.following.follow(nodes[0].url)
    assert 0 < made.index.count < len(SOME)
    made.following._get = get
    await made.following.follow(nodes[0].url)
    assert await urls(made) == set(SOME)


@pytest.mark.parametrize(
    "answer",
    [
        {"/urls": {"urls": [], "after": ""}},
        {"/urls": {"urls": "no"}},
        {"/urls": {"urls": [{"url": "http://a.example/", "key": "0" * 64}], "after": None}},
        {"/status": []},
        {"/additions": {"log": 1}},
    ],
)
@ensureDeferred
async def test_a_node_that_lies_is_not_believed(begin, serve, answer):
    """Nonsense ends the reading of a node; a URL under another's key is not kept."""
    good = {
        "/status": {"disks": [{"name": "d"}]},
        "/urls": {"urls": [], "after": None},
        "/additions": {"log": "l", "position": 51, "entries": []},
    }
    router = Router()
    for path, value in {**good, **answer}.items():

        async def say(_, value=value):
            return Response.json(200, value)

        router.route("GET", path, say)
    made = await begin()
    try:
        await made.following.follow(f"http://{serve(router)}")
    except AnetError:
        assert "key" not in str(answer)
    else:
        assert "key" in str(answer)
    assert made.index.count == 0


@ensureDeferred
async def test_nobody_knows_the_nodes(begin, nodes):
    """Without an answer which nodes there are, the index is not complete, and goes on trying."""
    from agents.consultation.errors import LookupFailed

    made = await begin()

    async def broken():
        raise LookupFailed("no index node answers")

    made.following._nodes = broken
    await made.following.look()
    assert not made.index.complete
