"""One look at a feed: asked only for what has changed, through redirections, and read."""

from hashlib import sha256
from typing import Any

from attrs import frozen

from agents import urls
from agents.feeds import rhythm
from agents.feeds.document import Feed
from agents.feeds.errors import Gone, LookFailed, NotAFeed
from agents.feeds.fetching import Answer, Fetcher, Fields
from agents.feeds.followed import Followed
from agents.feeds.reader import read
from agents.feeds.robots import GOOD_FOR, Robots
from anet.clock import wall
from anet.workers import Workers

REDIRECTS = 5
DIGEST = 8  # bytes of the SHA-256 of a body that are remembered
VALIDATOR_LIMIT = 1024  # characters of an ETag that are given back
LONGEST_REST = 7 * 86400.0  # seconds that a server may ask to be left alone
_LARGE = 32 * 1024  # bytes of a body that a thread reads
_ACCEPT = (
    b"application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    b"application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1"
)


@frozen
class Look:
    """What a look brought.

    Attributes:
        answer: of the server, the last one.
        url: that gave it, after redirections.
        moved_to: where the feed is for good now; empty if that is where it was.
        feed: what it says; None when the body is as it was.
        digest: of the body, or as before.
    """

    answer: Answer
    url: str
    moved_to: str
    feed: Feed | None
    digest: bytes


class Looking:
    """Looks at feeds.

    Args:
        reactor: which reactor.
        fetcher: asks the servers.
        workers: read large feeds.
        robots: whether servers let us; without it nobody is asked.
        body_limit: bytes of a feed, decoded.
    """

    def __init__(
        self,
        reactor: Any,
        fetcher: Fetcher,
        workers: Workers,
        robots: Robots | None,
        body_limit: int,
    ) -> None:
        self._reactor = reactor
        self._fetcher = fetcher
        self._workers = workers
        self._robots = robots
        self._body_limit = body_limit

    async def look(self, followed: Followed) -> Look:
        """Return what a feed is now.

        Raises:
            Crowded: its server's turn comes later.
            Gone: it is not there any more, for good.
            LookFailed: nothing came, or what is no feed.
        """
        await self._ask_robots(followed)
        url, moved_to, lasting = followed.url, "", True
        for hop in range(REDIRECTS + 1):
            answer = await self._fetcher.fetch(
                url,
                _conditions(followed),
                private=followed.private,
                patient=hop > 0,
                rest=self._rest,
            )
            target = self._redirection(answer, url)
            if target is None:
                return await self._read(followed, answer, url, moved_to)
            lasting = lasting and answer.head.status in (301, 308)
            url, moved_to = target, target if lasting else moved_to
        raise LookFailed(f"more than {REDIRECTS} redirections")

    @property
    def requests(self) -> int:
        """How many requests were made."""
        return self._fetcher.requests

    def sweep(self) -> None:
        """Let go of connections and servers that nobody used for a while."""
        self._fetcher.sweep()

    def forget(self) -> None:
        """Ask all servers again for what they permit; to be called once a day."""
        if self._robots is not None:
            self._robots.forget()

    async def stop(self) -> None:
        """Ask nobody any more, and close all connections."""
        if self._robots is not None:
            await self._robots.stop()
        self._fetcher.close()

    async def understand(self, body: bytes, url: str) -> Feed:
        """Return what the body of a feed says, read where it holds nobody up.

        Raises:
            NotAFeed: it says nothing.
        """
        if len(body) < _LARGE:
            return read(body, url)
        return await self._workers.run(read, body, url)

    async def _ask_robots(self, followed: Followed) -> None:
        now = wall(self._reactor)
        if self._robots is None or followed.asked_robots > now:
            return
        if not await self._robots.allow(followed.url, followed.private):
            raise LookFailed("robots.txt forbids it")
        followed.asked_robots = now + GOOD_FOR

    def _rest(self, answer: Answer) -> float:
        """Return how long the server of an answer is to be left alone."""
        if answer.head.status not in (429, 503):
            return 0.0
        return rhythm.rest_asked(answer.head.headers, answer.date, LONGEST_REST)

    def _redirection(self, answer: Answer, url: str) -> str | None:
        """Return where an answer leads, or None when it is the last.

        Raises:
            LookFailed: it leads nowhere.
        """
        status = answer.head.status
        if status not in (301, 302, 303, 307, 308):
            return None
        target = urls.canonical(answer.head.headers.text(b"location"), url)
        if target is None or target == url:
            raise LookFailed(f"it is redirected ({status}) to nowhere")
        return target

    async def _read(self, followed: Followed, answer: Answer, url: str, moved_to: str) -> Look:
        status = answer.head.status
        if status == 304:
            return Look(answer, url, moved_to, None, followed.digest)
        if status == 410:
            raise Gone("the server says that it is gone (410)")
        if not 200 <= status < 300:
            rest = rhythm.rest_asked(answer.head.headers, answer.date, LONGEST_REST)
            raise LookFailed(f"the server answers {status}", rest)
        digest = sha256(answer.body).digest()[:DIGEST]
        if digest == followed.digest:
            return Look(answer, url, moved_to, None, digest)
        try:
            feed = await self.understand(answer.content(self._body_limit), url)
        except NotAFeed as error:
            raise LookFailed(str(error)) from None
        return Look(answer, url, moved_to, feed, digest)


def _conditions(followed: Followed) -> Fields:
    """Return the fields that ask for a feed only if it is not as it was."""
    fields = [(b"Accept", _ACCEPT)]
    if followed.etag:
        fields.append((b"If-None-Match", followed.etag.encode("latin-1", "replace")))
    if followed.modified:
        fields.append((b"If-Modified-Since", followed.modified.encode("latin-1", "replace")))
    return fields


def validator(answer: Answer, name: bytes) -> str:
    """Return a validator of an answer, or nothing if it does not fit in a line of a head."""
    text = answer.head.headers.text(name)
    return text if len(text) <= VALIDATOR_LIMIT and text.isprintable() else ""
