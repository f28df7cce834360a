"""The index of archived URLs: by site, by how they begin, and by what fuzzy rules hold equal.

Structure files are named by the SHA-256 of their URL, so that no storage node can say which URLs
begin in some way. This index can; it is made of what the nodes list, and made again when it is
lost. It says which URLs there are, and nothing of their captures.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence

from attrs import frozen
from cryptography.fernet import Fernet, InvalidToken

from agents.capture import structure_key
from agents.consultation.access.rules import Rules
from agents.consultation.errors import Faulted
from agents.consultation.lookup.fuzzy import Fuzzy, best
from agents.consultation.readers.reader import Reader
from agents.consultation.urls.surt import Range, ranges, surt
from agents.consultation.urls.tables import (
    URLKEY,
    Listed,
    Progress,
    Tables,
    place_of,
)
from anet.workers import Workers

LISTED_LIMIT = 10_000  # URLs looked at for one page
_PART = 1000  # places read at once, at most
_FORM_LIMIT = 200  # URLs of one fuzzy form that are compared
_SEALED = "s"
_ALL = Range("", "\x7f")


@frozen
class UrlPage:
    """Some archived URLs in the order of their urlkeys.

    Attributes:
        urls: those that may be shown.
        after: where to go on, or None at the end; it goes into the next question.
    """

    urls: list[Listed]
    after: str | None = None


class UrlIndex:
    """Knows the archived URLs.

    Args:
        tables: the file.
        writer: one thread.
        readers: at most `tables.READERS` threads.
        fuzzy: says which URLs are held equal.
        rules: what may not be shown is not listed.

    Attributes:
        count: URLs in it.
        size: bytes of its file.
        complete: whether it has all that the storage nodes had a moment ago, as who follows says.
    """

    def __init__(
        self, tables: Tables, writer: Workers, readers: Workers, fuzzy: Fuzzy, rules: Rules
    ) -> None:
        self._tables, self._writer, self._readers = tables, writer, readers
        self._fuzzy, self._rules = fuzzy, rules
        self.count = self.size = 0
        self.complete = False
        self._seal = Fernet(Fernet.generate_key())

    async def open(self) -> None:
        """Open the index, or make it.

        Raises:
            OSError: its file cannot be made.
        """
        await self._writer.run(self._tables.open)
        self.count, self.size = await self._readers.run(self._tables.count), self._tables.size

    async def close(self) -> None:
        """Let go of the file."""
        await self._writer.run(self._tables.close)

    async def urls(
        self,
        url: str = "",
        match: str = "prefix",
        after: str = "",
        limit: int = 100,
        reader: Reader | None = None,
    ) -> UrlPage:
        """Return archived URLs, and where to go on.

        A page may be short and still go on: no more than `LISTED_LIMIT` URLs are looked at.

        Args:
            url: canonical; empty for all.
            match: one of `surt.MATCHES`.
            after: from the page before.
            limit: URLs at most.
            reader: for whom.

        Raises:
            Stopped: the index is closed.
            Overloaded: too many questions wait.
        """
        found: list[Listed] = []
        begin, most = self._place(after), min(_PART, limit + 10)
        for part in ranges(url, match) if url else [_ALL]:
            start, end = bounds(part)
            start, seen = max(start, begin), 0
            while start < end and seen < LISTED_LIMIT:
                rows = await self._readers.run(self._tables.between, start, end, most)
                seen += len(rows)
                for place, listed in rows:
                    if _is_in(part, listed) and self.is_shown(listed, reader):
                        found.append(Listed(listed, structure_key(listed)))
                    if len(found) >= limit:
                        return UrlPage(found, encoded(place))
                start = rows[-1][0] + b"\0" if len(rows) == most else end
            if start < end:
                last = rows[-1][1]
                open_to_all = self.is_shown(last, reader)
                return UrlPage(found, encoded(start) if open_to_all else self._sealed(start))
        return UrlPage(found)

    def _sealed(self, place: bytes) -> str:
        """Return a place as `encoded` does, unreadable: it tells a URL that may not be shown."""
        return _SEALED + self._seal.encrypt(place).decode()

    def _place(self, after: str) -> bytes:
        """Return the place that an answer gave; what is none is the beginning."""
        if not after.startswith(_SEALED):
            return decoded(after)
        try:
            return self._seal.decrypt(after.removeprefix(_SEALED))
        except InvalidToken:
            return b""

    async def skip(self, url: str, match: str, count: int) -> tuple[int, str]:
        """Pass over URLs; return how many there were, and what to give as `after` to go on."""
        passed, place = 0, b""
        for part in ranges(url, match):
            place, end = bounds(part)
            while place < end and passed < count:
                most = min(count - passed, LISTED_LIMIT)  # at once, so that others have their turn
                here, place = await self._readers.run(self._tables.skip, place, end, most)
                passed += here
            if passed == count:
                break
        return passed, encoded(place, included=True)

    async def alike(self, url: str) -> list[str]:
        """Return archived URLs that the fuzzy rules hold equal to a canonical URL, best first.

        Raises:
            Stopped, Overloaded: as `urls`.
        """
        form = self._fuzzy.form(url)
        found = await self._readers.run(self._tables.of_form, form, _FORM_LIMIT)
        return best(url, (each for each in found if self._fuzzy.form(each) == form))

    def is_shown(self, url: str, reader: Reader | None) -> bool:
        """Tell whether a reader may know of a URL."""
        try:
            self._rules.check(url, reader=reader)
        except Faulted:
            return False
        return True

    async def progress(self) -> dict[str, Progress]:
        """Return how far each storage node was followed, by its base URL."""
        return await self._readers.run(self._tables.progress)

    async def logs(self) -> list[str]:
        """Return the names of the logs of streams, which are no URLs."""
        return await self._readers.run(self._tables.stream_logs)

    async def add(self, node: str, progress: Progress, urls: Iterable[str]) -> None:
        """Take in URLs of a node, and how far that leads."""
        added = await self._writer.run(self._tables.add, node, progress, list(urls))
        self.count += added
        self.size = self._tables.size

    async def unknown(self, keys: Sequence[str]) -> list[str]:
        """Return those structure keys whose URLs are not here."""
        return await self._readers.run(self._tables.unknown, keys)


def bounds(part: Range) -> tuple[bytes, bytes]:
    """Return where the places of a range begin and end; long urlkeys lie among others."""
    end = part.end.encode("ascii")
    return place_of(part.start), end if len(end) <= URLKEY else end[:URLKEY] + b"\xff"


def _is_in(part: Range, url: str) -> bool:
    """Tell whether a URL lies in a range in which its place does."""
    return max(len(part.start), len(part.end)) < URLKEY or surt(url) in part


def encoded(place: bytes, *, included: bool = False) -> str:
    """Return a place as text for a query, to go on after it, or at it."""
    return "u" + urlsafe_b64encode(place if included else place + b"\0").decode().rstrip("=")


def decoded(after: str) -> bytes:
    """Return the place that such a text tells; what is none is the beginning."""
    try:
        return urlsafe_b64decode(after[1:] + "=" * (-(len(after) - 1) % 4))
    except ValueError:
        return b""
