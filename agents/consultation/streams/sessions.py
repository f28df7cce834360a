"""At which moment of an archived channel each reader is.

A live manifest is loaded again and again, and moves on. At one fixed date it never would, so the
reader's date is where a session begins, and the session goes on from there as time passes.

    nothing --a manifest at a date--> session
    session --what belongs to it is asked for--> session
    session --nothing for a minute, or another date chosen--> nothing
"""

from collections import OrderedDict

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from agents.consultation.streams.legs import seconds
from agents.consultation.streams.manifests import Manifest
from agents.dates import from_timestamp

PAUSE = 60.0  # seconds after which a reader begins anew
LIMIT = 2000  # sessions of all readers
EACH = 8  # of one reader
_MANIFESTS = 32  # of one session whose references are remembered


@define(eq=False)
class Session:
    """A channel that a reader watches.

    Attributes:
        url: of the manifest by which it began.
        chosen: the reader's date then, or empty.
        anchor: the moment at which it began, in seconds since the epoch.
        began: when, by the clock.
        seen: when something of it was last asked for.
        manifests: what the manifests of it refer to, by their URLs.
    """

    url: str
    chosen: str
    anchor: float
    began: float
    seen: float
    manifests: OrderedDict[str, Manifest] = field(factory=OrderedDict)

    def has(self, url: str) -> bool:
        """Tell whether a URL is of this channel."""
        return url in self.manifests or any(
            url in manifest.references or url.startswith(manifest.folders)
            for manifest in self.manifests.values()
        )

    def is_clock(self, url: str) -> bool:
        """Tell whether a URL is one that players ask for the time."""
        return any(url in manifest.clocks for manifest in self.manifests.values())

    def note(self, url: str, manifest: Manifest) -> None:
        """Remember what a manifest refers to; that of its last one is no more."""
        self.manifests[url] = manifest
        self.manifests.move_to_end(url)
        while len(self.manifests) > _MANIFESTS:
            self.manifests.popitem(last=False)


class Sessions:
    """The sessions of all readers; the one seen least recently goes first.

    Args:
        clock: tells the time that passes.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._readers: OrderedDict[str, list[Session]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def find(self, key: str, url: str, chosen: str) -> Session | None:
        """Return the session of a reader that a URL is of, and note that it goes on.

        Args:
            key: of the reader.
            url: canonical.
            chosen: the date that they chose, or empty.
        """
        now = self._clock.seconds()
        for session in self._current(key, now):
            if session.chosen == chosen and (session.has(url) or session.is_clock(url)):
                session.seen = now
                return session
        return None

    def begin(self, key: str, url: str, chosen: str, moment: str) -> Session:
        """Return a new session of a reader, at a moment of 20 digits."""
        now = self._clock.seconds()
        session = Session(url, chosen, seconds(moment), now, now)
        current = self._current(key, now)
        self._keep(key, [session, *current][:EACH])
        while self._count > LIMIT:
            _, gone = self._readers.popitem(last=False)
            self._count -= len(gone)
        return session

    def moment(self, session: Session) -> str:
        """Return at which moment a session is, as a date."""
        return from_timestamp(session.anchor + self._clock.seconds() - session.began)

    def _current(self, key: str, now: float) -> list[Session]:
        """Return the sessions of a reader that have not ended, and forget the others."""
        found = self._readers.get(key)
        if found is None:
            return []
        current = [session for session in found if now - session.seen <= PAUSE]
        self._keep(key, current)
        return current

    def _keep(self, key: str, sessions: list[Session]) -> None:
        before = self._readers.pop(key, [])
        self._count += len(sessions) - len(before)
        if sessions:
            self._readers[key] = sessions
