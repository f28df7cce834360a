"""The difference of any two captures of a URL, for people to see.

text      what people read of both, lines one over the other, with what was removed and added
source    the same of the documents as they were written
links     links that came and went, and header fields that changed
pictures  both pictures, and what differs between them
frames    both pages rendered, by the replay origin; nothing archived acts in the harbor's own
"""

import re
from typing import Any

import msgspec
from attrs import frozen

from agents import dates
from agents.capture import Capture
from agents.consultation.errors import ContentDamaged, Faulted, NodesFailed
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import wants_json
from agents.consultation.harbor.comparing import CONTENT_LIMIT, Comparison, compare
from agents.consultation.harbor.difference_parts import Pair, difference_page
from agents.consultation.harbor.heads import type_of
from agents.consultation.harbor.means import Means, url_of
from agents.consultation.harbor.pictures import picture_type
from agents.urls import authority, split_port
from anet.errors import AnetError, Overloaded
from anet.http import Request, Response

WAITING = 20  # comparisons that may wait
TIME = 10.0  # seconds that a comparison may take
_HOST = re.compile(r"[A-Za-z0-9.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\]")
MODES = ("text", "source", "links", "frames")


@frozen
class Version:
    """A capture, and its content if it is small enough to be compared.

    Attributes:
        capture: what was captured.
        body: its content as stored, or None.
    """

    capture: Capture
    body: bytes | None

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture that the harbor shows."""
        return bool(picture_type((self.body or b"")[:16]))


async def difference(means: Means, request: Request) -> Response:
    """Show how `url` differs between the captures nearest to `from` and `to`."""
    url = url_of(request)
    if url is None:
        return means.no_url(request)
    say = means.view(request).words.say
    given = [request.query.get(name, "") for name in ("from", "to")]
    try:
        old_date, new_date = sorted(dates.sought(text) for text in given)
    except dates.InvalidDate:
        return means.say(request, 400, "no-capture", say("difference.not-both"))
    if len(means.room.waiting) >= WAITING:
        return means.unreachable(request, Overloaded(f"{WAITING} comparisons wait already"))
    await means.room.acquire()
    try:
        return await _compared(means, request, url, old_date, new_date)
    finally:
        means.room.release()


async def _compared(
    means: Means, request: Request, url: str, old_date: str, new_date: str
) -> Response:
    """Fetch two captures, and show how they differ."""
    try:
        old = await _version(means, request, url, old_date)
        new = await _version(means, request, url, new_date)
    except Faulted as error:
        return means.say(request, error.fault.status, "no-capture", error.fault.message)
    except (ContentDamaged, NodesFailed) as error:
        return means.unreachable(request, error)
    return await _answer(means, request, old, new)


async def _answer(means: Means, request: Request, old: Version, new: Version) -> Response:
    view = means.view(request)
    mode = request.query.get("mode", "")
    mode = mode if mode in MODES else "text"
    pictures = old.is_picture and new.is_picture
    told: Comparison | str | None = None
    if mode == "links" or (mode != "frames" and not pictures):
        told = await _comparison(means, old, new, mode)
    if wants_json(request):
        return _json(old, new, told)
    pair = Pair(old.capture, new.capture, type_of(old.capture.head), type_of(new.capture.head))
    replay = "" if view.through_proxy else _beside(request, means.replay())
    shown = "pictures" if pictures and mode in ("text", "source") else mode
    return difference_page(view, pair, shown, told, replay)


async def _version(means: Means, request: Request, url: str, date: str) -> Version:
    nearest = await means.retrieval.find(url, date, reader=means.reader(request))
    if nearest.capture.size > CONTENT_LIMIT:
        return Version(nearest.capture, None)
    content = await means.retrieval.open(nearest.capture)
    pieces = [] if content is None else [piece async for piece in content]
    return Version(nearest.capture, b"".join(pieces))


async def _comparison(means: Means, old: Version, new: Version, mode: str) -> Comparison | str:
    """Return what differs, or the key of a text that says why nobody knows."""
    if old.body is None or new.body is None:
        return "difference.too-large"
    if means.processes is None:
        return "difference.too-slow"
    documents = [[each.capture.url, each.capture.head, each.body] for each in (old, new)]
    try:
        told = await means.processes.run(compare, *documents, mode, time=TIME)
        return msgspec.convert(told, Comparison)
    except AnetError:
        return "difference.too-slow"


def _json(old: Version, new: Version, told: Comparison | str | None) -> Response:
    value: dict[str, Any] = {
        name: {"date": each.capture.date, "content": each.capture.content,
               "size": each.capture.size, "status": each.capture.status}
        for name, each in (("from", old), ("to", new))
    }  # fmt: skip
    value["same"] = old.capture.content == new.capture.content
    if isinstance(told, Comparison):
        value["comparison"] = told
    return frame.json({"url": old.capture.url, **value})


def _beside(request: Request, replay: str) -> str:
    """Return the origin of the replay under the name by which the reader knows this machine."""
    host = split_port(request.headers.text(b"host"))[0]
    if not replay or not _HOST.fullmatch(host):
        return replay
    scheme, port = replay.partition(":")[0], split_port(authority(f"{replay}/"))[1]
    return f"{scheme}://{host}:{port}"
