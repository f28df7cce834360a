"""What moves from one disk of a node to another is read all the same."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread
from twisted.python.threadable import isInIOThread

from agents.capture import content_key, structure_key
from agents.storage.disk import moving
from agents.storage.disk.structures import StructureReader
from agents.storage.errors import DamagedStructure
from agents.storage.node.content_routes import ContentRoutes
from agents.storage.node.structure_routes import StructureRoutes

KEY = structure_key("http://a.example/")


def _routes(disks: Any) -> StructureRoutes:
    nobody: Any = None
    return StructureRoutes("node", disks, nobody)


@pytest.mark.parametrize("wanted", [b"", b"bytes=100000-"])
@ensureDeferred
async def test_a_content_that_moves_before_its_file_is_opened_is_given(disks, wanted) -> None:
    """Whoever was told of one disk, and finds no file there, opens that of the other."""
    one, other, _ = disks.disks
    body = b"moving" * 50_000
    key = content_key(body)
    await one.put(key, body)
    nobody: Any = None
    routes = ContentRoutes("node", disks, nobody, nobody)
    headers = {b"range": wanted} if wanted else {}
    response = await routes.get_content(SimpleNamespace(method="GET", headers=headers), key)
    await moving.move_content(key, one, other)
    part = response.body.open()
    assert part.read(len(body)) == (body[100_000:] if wanted else body)
    part.close()
    await other.remove("contents", key)
    with pytest.raises(FileNotFoundError):
        response.body.open()


def _request(**query: str) -> Any:
    return SimpleNamespace(query=query)


@pytest.mark.parametrize("date", ["20260102", ""])
@ensureDeferred
async def test_what_moves_between_its_two_files_is_read_from_where_it_is(
    disks, make_capture, monkeypatch, date: str
) -> None:
    """Whoever has opened the lines, and finds no heads any more, looks on the other disk."""
    one, other, _ = disks.disks
    await one.append([make_capture(day=day) for day in (1, 2, 3)])
    opened, moved = StructureReader._open_heads, []

    def open_late(reader: StructureReader) -> int:
        if isInIOThread():
            raise DamagedStructure("the heads are missing: they are on their way")
        if not moved:
            moved.append(reader)
            going = lambda: Deferred.fromCoroutine(moving.unite(KEY, one, other))  # noqa: E731
            blockingCallFromThread(reactor, going)
        return opened(reader)

    monkeypatch.setattr(StructureReader, "_open_heads", open_late)
    response = await _routes(disks).get_structure(_request(**({"date": date} if date else {})), KEY)
    assert response.status == 200
    if date:
        assert msgspec.json.decode(response.body)["count"] == 3
    else:
        pieces = b"".join([piece async for piece in response.body])
        dates = [each["date"] for each in msgspec.json.decode(pieces)]
        assert dates == [make_capture(day=day).date for day in (1, 2, 3)]
    assert moved and disks.copies("structures", KEY) == [other]


@ensureDeferred
async def test_what_is_damaged_on_all_disks_is_said(disks, make_capture) -> None:
    """It is an error, and not an archive without it."""
    one = disks.disks[0]
    await one.append([make_capture()])
    one.layout.heads(KEY).unlink()
    routes = _routes(disks)
    assert (await routes.get_structure(_request(date="20260101"), KEY)).status == 500
    response = await routes.get_structure(_request(), KEY)
    with pytest.raises(DamagedStructure):
        [piece async for piece in response.body]  # type: ignore[union-attr]
