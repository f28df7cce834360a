"""Following a channel of HLS: each media playlist is read in its own rhythm."""

from collections.abc import Mapping

from attrs import frozen

from agents import urls
from agents.streaming.following import choosing
from agents.streaming.following.errors import NotFetched
from agents.streaming.following.fetching import Read
from agents.streaming.following.reading import REFUSALS, Reader
from anet.backoff import Backoff
from anet.media.errors import NotAStream
from anet.media.hls import (
    Master,
    Media,
    following_url,
    parts,
    pause,
    window,
)
from anet.media.interface import Said
from anet.media.segments import Resource
from anet.tasks import sleep
from anet.together import together


@frozen
class _Look:
    """A playlist as it was read."""

    read: Read
    playlist: Media


async def follow(reader: Reader, first: Read) -> None:
    """Follow a channel until it is over.

    Args:
        reader: what is told of it.
        first: its playlist, of media or of playlists.

    Raises:
        NotFetched: its playlists are not given any more; the first may name others.
        NotAStream: likewise, or there is none.
    """
    playlist = await reader.manifests.playlist(first, {})
    if not isinstance(playlist, Master):
        await _Playlist(reader, first.url, {}, _Siblings(1), lead=True).follow(first)
        return
    listed = choosing.playlists(playlist, reader.rules.choice)
    found = [url for text in listed if (url := urls.canonical(text, first.url))]
    if not found:
        raise NotAStream("it names no playlist that can be fetched")
    for key in playlist.keys:
        reader.intake.want(Resource(key.url), first.url)
    bandwidths = {urls.canonical(each.url, first.url): each.bandwidth for each in playlist.variants}
    siblings = _Siblings(len(found))
    followed = [
        _Playlist(
            reader, url, playlist.variables, siblings, url == found[0], bandwidths.get(url, 0)
        )
        for url in found
    ]
    outcomes = await together([each.follow() for each in followed])
    errors = [each for each in outcomes if isinstance(each, Exception)]
    grave = [each for each in errors if not isinstance(each, NotFetched | NotAStream)]
    if grave or len(errors) == len(outcomes):
        raise (grave or errors)[0]


class _Siblings:
    """The media playlists of a channel: one that is refused is tried while another one is given.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self._count, self._refused = count, set[str]()

    def given(self, name: str) -> None:
        """Take note that one is given."""
        self._refused.discard(name)

    def refused(self, name: str) -> bool:
        """Take note that one is refused; tell whether no other one is given."""
        self._refused.add(name)
        return len(self._refused) >= self._count

    def ended(self) -> None:
        """Take note that one is over."""
        self._count -= 1


class _Playlist:
    """Follows one media playlist."""

    def __init__(
        self,
        reader: Reader,
        url: str,
        variables: Mapping[str, str],
        siblings: _Siblings,
        lead: bool,
        bandwidth: int = 0,
    ) -> None:
        self._reader, self._url, self._variables = reader, url, variables
        self._siblings, self._lead, self._bandwidth = siblings, lead, bandwidth
        self._name = url.partition("?")[0]  # of what comes after, tokens change
        self._track = reader.intake.track(self._name)
        self._backoff = Backoff(reader.rules.retry_first, reader.rules.retry_longest)
        self._refusals = 0
        self._ranges: set[str] = set()  # what was said of spans of time

    async def follow(self, first: Read | None = None) -> None:
        """Read it again and again until it is over.

        Args:
            first: as it was read already.
        """
        asked = self._url
        while True:
            began = self._reader.reactor.seconds()
            try:
                look = await self._look(asked, first)
            except (NotFetched, NotAStream) as error:
                self._fail(error)
                asked, first = self._url, None
                await sleep(self._reader.reactor, self._backoff.next())
                continue
            self._take(look)
            first = None
            if look.playlist.ended:
                self._siblings.ended()
                return
            blocking = self._reader.rules.parts
            wait = pause(look.playlist, look.read.changed, blocking=blocking)
            asked = following_url(self._url, look.playlist) if blocking else self._url
            passed = self._reader.reactor.seconds() - began
            await sleep(self._reader.reactor, max(0.0, wait - passed))

    async def _look(self, asked: str, first: Read | None) -> _Look:
        read = first or await self._reader.read(self._url, asked)
        playlist = await self._reader.manifests.playlist(read, self._variables)
        if isinstance(playlist, Master):
            raise NotAStream("a playlist of playlists names another one")
        return _Look(read, playlist)

    def _fail(self, error: NotFetched | NotAStream) -> None:
        """Take note of a failure; one that will not pass ends it."""
        hopeless = self._reader.failed(self._name, error)
        self._refusals += isinstance(error, NotAStream) or error.is_refusal
        if hopeless or (self._refusals >= REFUSALS and self._siblings.refused(self._url)):
            raise error

    def _take(self, look: _Look) -> None:
        self._refusals = 0
        self._siblings.given(self._url)
        self._backoff.reset()
        reader = self._reader
        reader.answered(self._name, look.read, self._bandwidth)
        reader.intake.see(self._track, window(look.playlist), look.read.url, lead=self._lead)
        if reader.rules.parts:
            for part in parts(look.playlist):
                reader.intake.want(part, look.read.url, self._name)
        if self._lead:
            self._say(look.playlist)

    def _say(self, playlist: Media) -> None:
        """Tell what is said of spans of time, of each once."""
        named = {each.id: each for each in playlist.ranges}
        for name, found in named.items():
            if name not in self._ranges:
                title = found.attributes.get("X-TITLE", "")
                self._reader.intake.say(Said(title, dict(found.attributes)))
        self._ranges = set(named)
