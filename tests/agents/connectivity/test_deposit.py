"""Deposits over real links and sockets, to a storage that fails when told to."""

import fcntl
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import gatherResults

from agents.bundle import CONTENT_LIMIT
from agents.capture import content_key
from agents.connectivity.crawl_folder import CrawlFolder
from anet.http import HttpClient
from anet.tasks import sleep
from hip import ConnectionLost, RemoteError


@ensureDeferred
async def test_a_crawl_is_deposited_whole(tree: Any, pages: dict[str, bytes]) -> None:
    """Every content is on both nodes, every capture recorded as received, and it is told."""
    tree.crawl("c", pages)
    figures = await tree.deposit()
    assert figures["done"] and figures["findings"]["external_links"] == 1
    assert (figures["captures"], figures["captures_recorded"]) == (10, 10)
    assert (figures["contents_stored"], figures["captures_missing"]) == (9, 0)
    assert figures["bytes_stored"] == sum(len(body) for body in set(pages.values()))
    for node in tree.nodes:
        assert set(node.contents.values()) == set(pages.values())
    captures = {url: capture for (url, _, _), capture in tree.index.captures.items()}
    assert {url: capture.content for url, capture in captures.items()} == {
        url: content_key(body) for url, body in pages.items()
    }
    one = captures["http://a.example/1"]
    assert one.head == b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\n\r\n"
    assert one.origin == "crawl: c\nsite: s\n"
    assert tree.scheduler.heard[-1].captures_recorded == 10


@ensureDeferred
async def test_what_the_next_crawl_needs_is_left_and_the_folder_stays(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """Signatures, structure and report are in the site's folder; `discard` removes the crawl's."""
    folder = tree.crawl("c", pages)
    await tree.deposit()
    site = tree.sites / "s"
    assert {file.name for file in site.iterdir()} == {"signatures", "structure", "report.xml"}
    assert (site / "structure").read_bytes() == (folder / "structure").read_bytes()
    assert folder.is_dir()
    await tree.connectivity.call("discard", directory=str(folder))
    await tree.connectivity.call("discard", directory=str(folder))
    assert list(tree.crawls.iterdir()) == []
    assert (site / "signatures").stat().st_size > 0


@ensureDeferred
async def test_repeating_a_deposit_has_no_effect(tree: Any, pages: dict[str, bytes]) -> None:
    """A deposit that is asked for again sends nothing twice and records nothing twice."""
    tree.crawl("c", pages)
    await tree.deposit()
    puts = [node.puts for node in tree.nodes]
    again = await tree.deposit()
    assert [node.puts for node in tree.nodes] == puts
    assert len(tree.index.captures) == 10
    assert (again["contents_stored"], again["contents_known"]) == (0, 9)


@ensureDeferred
async def test_a_deposit_waits_for_its_turn_at_the_sites_folder(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """While another agent changes what the site's next crawl needs, it is tried again."""
    tree.crawl("c", pages)
    await tree.deposit()
    other = os.open(tree.sites / "s", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    again = tree.connectivity.call("deposit", crawl="c", site="s", directory=str(tree.crawls / "c"))
    while not any(each.figures().retries for each in tree.service.connectivity.deposits.values()):
        await sleep(reactor, 0.01)
    os.close(other)
    assert (await again)["retries"] >= 1


@ensureDeferred
async def test_a_deposit_under_way_is_joined(tree: Any, pages: dict[str, bytes]) -> None:
    """Two who ask at once get the same answer for one deposit."""
    tree.crawl("c", pages)
    both = await gatherResults(
        [
            tree.connectivity.call("deposit", crawl="c", site="s", directory=str(tree.crawls / "c"))
            for _ in range(2)
        ]
    )
    assert both[0] == both[1]
    assert [node.puts for node in tree.nodes] == [9, 9]


@ensureDeferred
async def test_nodes_and_index_may_fail_for_a_while(tree: Any, pages: dict[str, bytes]) -> None:
    """Every refusal that may pass is met by asking again."""
    tree.crawl("c", pages)
    tree.index.refusals = ["no-storage", "overloaded", "not-durable"]
    tree.nodes[0].answers = [503]
    tree.nodes[1].answers = [507, 500]
    figures = await tree.deposit()
    assert figures["captures_recorded"] == 10
    assert figures["retries"] >= 4
    assert len(tree.nodes[0].contents) == len(tree.nodes[1].contents) == 9


@ensureDeferred
async def test_one_copy_is_enough_when_a_node_stays_away(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """A node that is dead does not hold deposits up; the master has the copies made later."""
    tree.crawl("c", {"http://a.example/": b"only"})
    await tree.nodes[1].server.stopService()
    figures = await tree.deposit()
    assert figures["captures_recorded"] == 1
    assert len(tree.nodes[0].contents) == 1


@ensureDeferred
async def test_an_index_node_that_goes_away_is_waited_for(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """A link that breaks in the middle of a deposit is made again, and the deposit goes on."""
    tree.crawl("c", pages)
    depositing = tree.connectivity.call(
        "deposit", crawl="c", site="s", directory=str(tree.crawls / "c")
    )
    while not tree.index.captures:
        await sleep(reactor, 0.001)
    tree.indexer.slaves["connectivity"].transport.abortConnection()
    assert (await depositing)["captures_recorded"] == 10


@ensureDeferred
async def test_a_deposit_goes_on_though_its_asker_is_gone(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """A scheduler that restarts finds the deposit done, or joins it."""
    tree.crawl("c", pages)
    asked = tree.connectivity.call("deposit", crawl="c", site="s", directory=str(tree.crawls / "c"))
    former = tree.connectivity
    former.transport.abortConnection()
    with pytest.raises(ConnectionLost):
        await asked
    while tree.root.slaves.get("connectivity", former) is former:
        await sleep(reactor, 0.01)
    assert (await tree.deposit())["captures_recorded"] == 10


@pytest.mark.parametrize("patience", [0.5])
@ensureDeferred
async def test_a_deposit_is_given_back_when_nothing_moves(tree: Any, patience: float) -> None:
    """After the configured patience the scheduler is told, and may ask again."""
    tree.crawl("c", {"http://a.example/": b"page"})
    tree.index.refusals = ["no-storage"] * 50
    with pytest.raises(RemoteError, match="took anything for .* no-storage"):
        await tree.deposit()
    tree.index.refusals = []
    assert (await tree.deposit())["done"]


@ensureDeferred
async def test_captures_whose_content_nobody_has_are_left_out(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """No structure ever names a missing content; the next crawl begins anew."""
    former = tree.sites / "s"
    former.mkdir(parents=True)
    (former / "signatures").write_text("old")
    folder = tree.crawl("c", pages, without=(b"page 0", b"page 1"))
    damaged = folder / "contents" / content_key(b"page 2")[:2] / content_key(b"page 2")
    damaged.write_bytes(b"rotten")
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (6, 4)
    assert {url for url, _, _ in tree.index.captures} == {
        f"http://a.example/{number}" for number in range(3, 9)
    }
    assert not (former / "signatures").exists()


@ensureDeferred
async def test_a_capture_that_is_refused_does_not_hold_the_others_up(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """The one that the index node finds invalid is found, counted and left out."""
    tree.crawl("c", pages)
    tree.index.poison = "http://a.example/4"
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (9, 1)


@ensureDeferred
async def test_folders_that_hold_no_whole_crawl_are_refused(
    tree: Any, pages: dict[str, bytes], tmp_path: Path
) -> None:
    """What is missing, cut short or elsewhere each gives its own code, and is left alone."""
    with pytest.raises(RemoteError, match="no-crawl"):
        await tree.deposit("nothing")
    folder = tree.crawl("half", pages)
    (folder / "report.xml").unlink()
    with pytest.raises(RemoteError, match="bad-crawl"):
        await tree.deposit("half")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tree.crawls / "link").symlink_to(elsewhere)
    for directory in (elsewhere, tree.crawls, tree.crawls / ".." / "sites", tree.sites / "s", "c"):
        for method, names in (("deposit", {"crawl": "c", "site": "s"}), ("discard", {})):
            with pytest.raises(RemoteError, match="forbidden"):
                await tree.connectivity.call(method, directory=str(directory), **names)
    with pytest.raises(RemoteError, match="forbidden"):
        await tree.deposit("half", site="../crawls")
    await tree.connectivity.call("discard", directory=str(tree.crawls / "link"))
    assert elsewhere.is_dir()


@ensureDeferred
async def test_pages(tree: Any, pages: dict[str, bytes]) -> None:
    """The monitoring page, its JSON and the metrics tell of what was done."""
    tree.crawl("c", pages)
    await tree.deposit()
    client = HttpClient(reactor)
    texts = []
    for path in ("/", "/status.json", "/metrics"):
        url = f"http://{tree.service.server.address}{path}"
        answer = await client.request("GET", url)
        assert answer.head.status == 200
        texts.append((await answer.read(1_000_000)).decode())
    await client.stopService()
    assert "index-1" in texts[0] and "Deposits done" in texts[0]
    assert 'dlweb_connectivity{of="captures"} 10.0' in texts[2]


@ensureDeferred
async def test_large_and_small_contents_come_whole(tree: Any) -> None:
    """Small ones go together, large ones alone; a node that fails for a while gets both."""
    bodies = {f"http://a.example/{size}": b"x" * size for size in (1, CONTENT_LIMIT, 300_000)}
    tree.crawl("c", bodies)
    tree.nodes[1].answers = [503, 500, 507]
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["contents_stored"]) == (3, 3)
    assert figures["bytes_stored"] == sum(len(body) for body in bodies.values())
    for node in tree.nodes:
        assert set(node.contents.values()) == set(bodies.values())
    assert tree.nodes[0].puts == 3  # it had them, and was not asked again
    assert tree.index.avoided == {tree.nodes[1].url}  # others were to stand in, had there been any


@ensureDeferred
async def test_a_content_that_goes_meanwhile_is_left_out(tree: Any, monkeypatch: Any) -> None:
    """A file that was there when it was counted, and is not when it is sent, is missing."""
    folder = tree.crawl("c", {"http://a.example/1": b"stays", "http://a.example/2": b"goes"})
    key = content_key(b"goes")
    sizes = CrawlFolder.sizes

    def then_gone(self: CrawlFolder, keys: Iterable[str]) -> dict[str, int]:
        found = sizes(self, keys)
        (folder / "contents" / key[:2] / key).unlink()
        return found

    monkeypatch.setattr(CrawlFolder, "sizes", then_gone)
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (1, 1)
    assert {url for url, _, _ in tree.index.captures} == {"http://a.example/1"}


@ensureDeferred
async def test_a_content_that_has_grown_is_damaged(tree: Any) -> None:
    """Bytes beyond what a small content may have are not read, and no node takes the rest."""
    folder = tree.crawl("c", {"http://a.example/1": b"stays", "http://a.example/2": b"small"})
    key = content_key(b"small")
    (folder / "contents" / key[:2] / key).write_bytes(b"y" * (CONTENT_LIMIT * 3))
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (1, 1)


@ensureDeferred
async def test_no_link_leads_out_of_a_crawl(tree: Any, tmp_path: Path) -> None:
    """A content that is a symbolic link, to whatever, was not brought by the crawl."""
    folder = tree.crawl("c", {"http://a.example/": b"page"})
    (tmp_path / "page").write_bytes(b"page")
    path = folder / "contents" / content_key(b"page")[:2] / content_key(b"page")
    path.unlink()
    path.symlink_to(tmp_path / "page")
    assert (await tree.deposit())["captures_missing"] == 1
    assert not any(node.contents for node in tree.nodes)


@ensureDeferred
async def test_small_contents_come_out_of_the_pack(tree: Any, pages: dict[str, bytes]) -> None:
    """Each is what the line says that brought it, and one of no bytes is one too."""
    pages["http://a.example/empty"] = b""
    tree.crawl("c", pages, packed=True)
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["contents_stored"]) == (11, 10)
    for node in tree.nodes:
        assert set(node.contents.values()) == set(pages.values())


@ensureDeferred
async def test_a_pack_that_is_cut_off(tree: Any, pages: dict[str, bytes]) -> None:
    """What lies before the end is deposited, and the rest is missing."""
    folder = tree.crawl("c", pages, packed=True)
    (folder / "pack").write_bytes((folder / "pack").read_bytes()[:-8])
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (8, 2)
    (folder / "pack").unlink()
    tree.index.known.clear()
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (0, 10)


@ensureDeferred
async def test_a_content_of_an_earlier_batch_that_was_forgotten(
    tree: Any, pages: dict[str, bytes]
) -> None:
    """A later line with a content that the index forgot meanwhile has it brought again."""
    tree.crawl("c", pages, packed=True)
    tree.index.forgets = True
    figures = await tree.deposit()
    assert (figures["captures_recorded"], figures["captures_missing"]) == (10, 0)


@ensureDeferred
async def test_what_nobody_brought_is_not_looked_for(
    tree: Any, pages: dict[str, bytes], monkeypatch: Any
) -> None:
    """Contents that the archive lost since a former crawl do not cost a look at all lines."""
    folder = tree.crawl("c", pages, packed=True)
    (folder / "pack").unlink()

    def look(*_: Any) -> None:
        raise AssertionError("looked for what no batch brought")

    monkeypatch.setattr("agents.connectivity.deposit.find_packed", look)
    assert (await tree.deposit())["captures_missing"] == 10


@ensureDeferred
async def test_a_pack_is_a_plain_file(tree: Any, pages: dict[str, bytes]) -> None:
    """A pipe, a link or a folder in its place holds up nobody: the deposit is refused."""
    pack = tree.crawl("c", pages, packed=True) / "pack"
    makers: list[Callable[[], None]] = [
        lambda: os.mkfifo(pack),
        lambda: pack.symlink_to("structure"),
    ]
    for make in makers:
        pack.unlink()
        make()
        with pytest.raises(RemoteError, match="plain file"):
            await tree.deposit()
