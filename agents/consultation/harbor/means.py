"""What every page of the harbor works with."""

from collections.abc import Callable, Sequence

from attrs import field, frozen
from twisted.internet.defer import DeferredSemaphore
from twisted.internet.interfaces import IReactorTime

from agents import dates
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.faults.missing import Hole, Missing, shown
from agents.consultation.harbor import frame
from agents.consultation.harbor.asked import is_absolute, typed_url, wants_json
from agents.consultation.harbor.forms import Forms
from agents.consultation.harbor.listing import Listings
from agents.consultation.harbor.offer import Offer
from agents.consultation.harbor.parts import paragraph
from agents.consultation.harbor.view import View
from agents.consultation.harbor.words import LANGUAGES, Words, chosen_language
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.consultation.streams.catalogue import Catalogue
from agents.consultation.streams.radio import Radio
from anet.http import Request, Response
from anet.processes import Processes

COMPARED_TOGETHER = 4


def _no_offer() -> Offer | None:
    return None


def _no_place() -> str:
    return ""


@frozen
class Means:
    """What every page of the harbor works with.

    Attributes:
        clock: tells the time.
        retrieval: finds captures.
        listings: lists URLs.
        doors: tell who asks.
        readers: what each reader chose.
        missing: the log of holes.
        forms: guards the forms that change something.
        proxy: tells `host:port` of the proxy.
        screens: what is on the readers' screens.
        rules: what may not be shown.
        processes: workers that compare documents; without them none are compared.
        room: how many comparisons at once may have their documents in memory.
        languages: offered, the first to who prefers none of them.
        live: what the operator allows of the live web: `no`, `read` or `record`.
        offer: tells the certificate authority that readers may trust, if there is one.
        catalogue: which streams there are; None where nobody follows them.
        radio: plays them.
        replay: tells the origin where pages are rendered for people without the proxy, or nothing.
    """

    clock: IReactorTime
    retrieval: Retrieval
    listings: Listings
    doors: Doors
    readers: Readers
    missing: Missing
    forms: Forms
    proxy: Callable[[], str]
    screens: Screens = field(factory=Screens)
    rules: Rules = field(factory=Rules)
    processes: Processes | None = None
    room: DeferredSemaphore = field(factory=lambda: DeferredSemaphore(COMPARED_TOGETHER))
    languages: Sequence[str] = LANGUAGES
    live: str = "no"
    offer: Callable[[], Offer | None] = _no_offer
    catalogue: Catalogue | None = None
    radio: Radio | None = None
    replay: Callable[[], str] = _no_place

    def view(self, request: Request) -> View:
        """Return who looks, and from where."""
        reader = self.reader(request)
        choice = self.readers.choice_of(reader.key)
        accepted = request.headers.text(b"accept-language")
        through_proxy = is_absolute(request)
        return View(
            words=Words(chosen_language(choice.language, accepted, self.languages)),
            home="/" if through_proxy else "/harbor",
            through_proxy=through_proxy,
            proxy=self.proxy(),
            token=self.forms.token(reader.key),
            date=choice.date,
            live=choice.live and self.live != "no",
            language=choice.language,
        )

    def reader(self, request: Request) -> Reader:
        """Return who asks."""
        return self.doors.admit(request)

    def say(self, request: Request, status: int, title: str, words: str) -> Response:
        """Answer one thing: a title by its key, and words."""
        view = self.view(request)
        heading = view.words.say(title)
        if wants_json(request):
            return frame.json({"error": heading, "message": words}, status)
        return frame.page(view, heading, paragraph(words, "summary"), status=status)

    def unreachable(self, request: Request, error: Exception) -> Response:
        """Answer that nobody can say now what the archive holds."""
        words = self.view(request).words.say("unreachable.words", reason=error)
        return self.say(request, 503, "unreachable", words)

    def no_url(self, request: Request) -> Response:
        """Answer that what was typed is no URL."""
        typed = request.query.get("url", "")[:200]
        return self.say(
            request, 400, "no-url", self.view(request).words.say("no-url.words", text=typed)
        )

    async def captures(
        self, request: Request, url: str, *, heads: bool = False
    ) -> list[CaptureLine]:
        """Return the captures of a URL that this reader may see, in the order of their dates.

        Args:
            request: the reader's.
            url: canonical.
            heads: whether their heads are wanted too.

        Raises:
            LookupFailed: nobody knows where they lie.
            NodesFailed: no node gave them.
        """
        reader = self.reader(request)
        found = await self.retrieval.captures(url, heads=heads)
        lines = [line for line in found if _is_date(line.date)]
        return self.rules.shown(lines, reader)

    def shows(self, request: Request, url: str) -> bool:
        """Tell whether the reader may see a URL at some date."""
        return self.rules.reason(url, "", self.reader(request)) is None

    def holes(self, request: Request, most: int) -> list[Hole]:
        """Return the newest holes that the reader may know of, at most so many looked at."""
        newest = self.missing.newest(most)
        if not self.rules.count:
            return newest
        return shown(newest, lambda url: not self.shows(request, url))


def url_of(request: Request) -> str | None:
    """Return the URL that a page is asked about, canonical, or None."""
    return typed_url(request.query.get("url", "").strip())


def number_of(request: Request, name: str, default: int, most: int) -> int:
    """Return a number of the query, from 1 to `most`."""
    text = request.query.get(name, "")[:9]
    return min(most, max(1, int(text))) if text.isascii() and text.isdigit() else default


def _is_date(text: str) -> bool:
    try:
        dates.to_datetime(text)
    except dates.InvalidDate:
        return False
    return True
