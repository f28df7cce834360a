"""From a stream's URL to where it comes from: behind playlists and redirections (*INA §1.6*).

What a server answers is a stream; or leads to one, as redirections and playlists do; or is the
manifest of a stream in segments. Of several entries the first that works is taken. What led there
is kept, so that a reader's player finds the same way at its date.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any

from attrs import define, field, frozen
from twisted.internet.defer import Deferred, DeferredSemaphore, TimeoutError

from agents.collected import Captures, Exchange
from agents.origin import CREDENTIALS, request_lines
from agents.stream import OrderedStream
from agents.streaming import playlists
from anet.address import is_public
from anet.clock import wall
from anet.errors import AnetError, TimedOut
from anet.http import permit_all
from anet.http.connect import Permit
from anet.media.errors import NotAStream
from anet.media.interface import ILiveSource
from anet.media.live_http import Answer

AT_ONCE = 50  # streams that are opened at once
LEVELS = 5  # playlists within playlists
URLS = 20  # asked for in all
REDIRECTS = 10
LONGEST = 120.0  # seconds for all of it
REMEMBERED = 10_000  # answers on the way that are known to be kept

Open = Callable[[str, Permit], Awaitable["ILiveSource | Answer"]]


@frozen
class Manifest:
    """The manifest of a stream in segments.

    Attributes:
        kind: "hls" or "dash".
        url: where it lies.
        answer: what its server answered.
    """

    kind: str
    url: str
    answer: Answer


Found = ILiveSource | Manifest


@frozen
class _Step:
    """What a URL answered on the way, and when, in seconds since the epoch."""

    url: str
    answer: Answer
    date: float


@define
class _Walk:
    """One search for a stream.

    Attributes:
        permit: tells which addresses may be connected to.
        asked: URLs that were asked for.
        way: what was answered on the way to where the search is now.
    """

    permit: Permit
    asked: set[str] = field(factory=set)
    way: list["_Step"] = field(factory=list)


class Opener:
    """Opens streams.

    Args:
        reactor: which reactor.
        protocols: what asks for a URL, by its scheme.
        captures: keeps what is on the way.
    """

    def __init__(self, reactor: Any, protocols: Mapping[str, Open], captures: Captures) -> None:
        self._reactor, self._protocols, self._captures = reactor, protocols, captures
        self._slots = DeferredSemaphore(AT_ONCE)
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    async def open(self, ordered: OrderedStream) -> Found:
        """Return where a stream comes from.

        Raises:
            MediaError: there is none, or it is not given.
            AnetError: its server is not reached.
            OSError: what is on the way cannot be kept.
        """
        await self._slots.acquire()
        try:
            walk = _Walk(permit_all if ordered.private_networks else is_public)
            searched = Deferred.fromCoroutine(self._search(walk, ordered.stream, 0))
            found = await searched.addTimeout(LONGEST, self._reactor)
            try:
                for step in walk.way:
                    await self._keep(step)
            except BaseException:
                if not isinstance(found, Manifest):
                    found.close()
                raise
            return found
        except TimeoutError:
            raise TimedOut(f"no stream was found in {LONGEST:g} seconds") from None
        finally:
            self._slots.release()

    async def _search(self, walk: _Walk, url: str, level: int) -> Found:
        """Return the stream to which a URL leads."""
        url, answer = await self._ask(walk, url)
        if not isinstance(answer, Answer):
            return answer
        body = answer.body
        if kind := playlists.manifest_kind(body):
            return Manifest(kind, url, answer)
        listed = playlists.entries(url, _media_type(answer), body)
        if not listed:
            raise NotAStream(f"{url} is no stream, and leads to none")
        if level == LEVELS:
            raise NotAStream(f"more than {LEVELS} playlists lead from one to another")
        self._note(walk, url, answer)
        return await self._first_of(walk, listed, level + 1)

    async def _first_of(self, walk: _Walk, listed: list[str], level: int) -> Found:
        """Return the first stream of a playlist that works."""
        problem: AnetError | None = None
        before = len(walk.way)
        for url in listed:
            try:
                return await self._search(walk, url, level)
            except AnetError as error:
                problem = problem or error
                del walk.way[before:]
        assert problem is not None
        raise problem

    async def _ask(self, walk: _Walk, url: str) -> tuple[str, ILiveSource | Answer]:
        """Return what is behind redirections, and where."""
        for _ in range(REDIRECTS + 1):
            found = await self._ask_once(walk, url)
            if not isinstance(found, Answer):
                return url, found
            target = _redirection(found, url)
            if target is None:
                return url, found
            self._note(walk, url, found)
            url = target
        raise NotAStream(f"more than {REDIRECTS} redirections")

    async def _ask_once(self, walk: _Walk, url: str) -> ILiveSource | Answer:
        if url in walk.asked:
            raise NotAStream(f"{url} leads back to itself")
        if len(walk.asked) == URLS:
            raise NotAStream(f"more than {URLS} URLs lead nowhere")
        walk.asked.add(url)
        ask = self._protocols.get(url.partition(":")[0])
        if ask is None:
            raise NotAStream(f"{url}: this protocol is not spoken here")
        return await ask(url, walk.permit)

    def _note(self, walk: _Walk, url: str, answer: Answer) -> None:
        walk.way.append(_Step(url, answer, wall(self._reactor)))

    async def _keep(self, step: _Step) -> None:
        """Keep an answer on the way, unless it is as it was when it was kept last."""
        answer = step.answer
        location = answer.head.headers.text(b"location").encode()
        digest = sha256(b"%d %s\n%s" % (answer.head.status, location, answer.body)).digest()
        if self._kept.get(step.url) != digest:
            await self._captures.keep(_exchange(step), answer.body)
            self._kept[step.url] = digest
            self._kept.move_to_end(step.url)
            if len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)


def _redirection(answer: Answer, url: str) -> str | None:
    """Return where an answer leads; None where it is no redirection.

    Raises:
        NotAStream: it leads nowhere.
    """
    status = answer.head.status
    if status in (301, 302, 303, 307, 308):
        target = playlists.absolute(answer.head.headers.text(b"location"), url)
        if target is None:
            raise NotAStream(f"{url} is redirected ({status}) to nowhere")
        return target
    return None


def _media_type(answer: Answer) -> str:
    return answer.head.headers.text(b"content-type").partition(";")[0].strip().lower()


def _exchange(step: _Step) -> Exchange:
    answer = step.answer
    sent = request_lines(answer.request, CREDENTIALS)
    return Exchange(step.url, answer.head, answer.address, step.date, tls=answer.tls, request=sent)
