"""The feed aggregator at work: looks at each feed when it is due (*INA §1.5.2*).

What a look brings is told to the scheduler, and only when that has it does the feed wait again; so
a change is never lost, at worst it is told twice.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from twisted.application.service import Service

from agents import dates
from agents.collected import Captures, Exchange
from agents.feed import AggregatorReport, FeedNews, FeedStatus, FollowedFeed, Outcome
from agents.feeds.agenda import Agenda
from agents.feeds.errors import Crowded, Gone, LookFailed, NotAFeed, TooMany
from agents.feeds.fetching import Answer
from agents.feeds.followed import Doing, Followed
from agents.feeds.hubs import Hubs
from agents.feeds.learning import Learner
from agents.feeds.looking import Look, Looking
from agents.feeds.seen import News, compare
from agents.feeds.tallies import EVERY, Tallies
from agents.feeds.telling import Teller
from agents.origin import CREDENTIALS, request_lines
from anet.clock import wall
from anet.tasks import Tasks, every
from hip import Link, Peer

LOOKS = 500  # under way at once, most of which wait for their turn at a server
_DAY = 86400.0


class Aggregator(Service):
    """Follows feeds for the scheduler.

    Args:
        reactor: which reactor.
        scheduler: who is told.
        looking: looks at feeds.
        learner: says when to look next.
        limit: feeds that are followed at most.
        patience: seconds in which news of no change are gathered.
        hubs: speaks to hubs; without it none is asked.
        captures: keeps the bodies of feeds; without it they are not kept.

    Attributes:
        tallies: what was counted.
        teller: tells the scheduler.
    """

    def __init__(
        self,
        reactor: Any,
        scheduler: Link,
        looking: Looking,
        learner: Learner,
        limit: int,
        *,
        patience: float = 30.0,
        hubs: Hubs | None = None,
        captures: Captures | None = None,
    ) -> None:
        self.tallies = Tallies()
        self._reactor = reactor
        self._looking = looking
        self._learner = learner
        self._limit = limit
        self._hubs = hubs
        self._captures = captures
        self._feeds: dict[str, Followed] = {}
        self._tasks = Tasks()
        self._agenda = Agenda(reactor, self._begin, lambda: len(self._tasks) < LOOKS)
        self.teller = Teller(reactor, scheduler, patience, self._keep, self._told)
        scheduler.on_connect = self._connected
        if hubs is not None:
            hubs.on_agreed = self._agreed
            hubs.on_message = self._heard

    def __len__(self) -> int:
        return len(self._feeds)

    def startService(self) -> None:
        """Begin to look and to tell."""
        super().startService()
        self._tasks = Tasks()
        self._tasks.start(self.teller.run(), "telling the scheduler of feeds")
        self._tasks.start(every(self._reactor, EVERY, self._sweep), "sweeping")
        self._tasks.start(every(self._reactor, _DAY, self._looking.forget), "forgetting")

    async def stopService(self) -> None:
        """Give up the looks under way."""
        super().stopService()
        self._clear()
        await self._tasks.stop()
        await self._looking.stop()

    # What the scheduler asks

    def follow(self, feeds: Iterable[FollowedFeed]) -> int:
        """Follow feeds from what was known of each; return how many are followed now.

        Those that are followed already go on: nobody knows more of them.

        Raises:
            TooMany: that would be more than the configured most; none of them is.
            InvalidDate: a state has a date that is none.
        """
        given = {feed.feed: Followed.of(feed) for feed in feeds if feed.feed not in self._feeds}
        if len(self._feeds) + len(given) > self._limit:
            raise TooMany(f"at most {self._limit} feeds are followed here")
        for url, followed in given.items():
            self._feeds[url] = followed
            if self._hubs is not None:
                self._hubs.know(followed)
            else:
                followed.subscription = None  # nobody hears its hub
            self._agenda.put(followed, followed.next - wall(self._reactor))
        return len(self._feeds)

    def forget(self, urls: Iterable[str]) -> int:
        """Follow feeds no more; return how many are followed still."""
        for url in urls:
            self._drop(url)
        return len(self._feeds)

    def look_now(self, url: str) -> bool:
        """Look at a feed at once, or once more after this look; tell whether it is followed."""
        followed = self._feeds.get(url)
        if followed is not None and followed.doing is Doing.WAITING:
            self._agenda.put(followed, 0.0)
        elif followed is not None:
            self._afterwards(followed)
        return followed is not None

    def statuses(self, after: str, limit: int) -> list[FeedStatus]:
        """Return feeds in the order of their URLs, those beyond one."""
        urls = heapq.nsmallest(limit, (url for url in self._feeds if url > after))
        return [self._feeds[url].status() for url in urls]

    def count(self) -> Counter[str]:
        """Return how many feeds there are by what they do, and how many fail, or have a hub."""
        now, counted = self._reactor.seconds(), Counter[str]()
        for followed in self._feeds.values():
            counted[followed.doing.value] += 1
            counted["failing"] += followed.failures > 0
            counted["hub"] += followed.has_hub()
            counted["due"] += followed.doing is Doing.WAITING and followed.due <= now
        return counted

    def report(self) -> AggregatorReport:
        """Return what it is doing."""
        tallies = self.tallies
        return AggregatorReport(
            len(self),
            dict(self.count()),
            self._looking.requests,
            dict(tallies.outcomes),
            tallies.messages,
        )

    # Looks

    def _begin(self, followed: Followed) -> None:
        looked = self._tasks.start(self._look(followed), f"the look at {followed.url}")
        looked.addCallback(lambda _: self._agenda.look())

    async def _look(self, followed: Followed) -> None:
        try:
            look = await self._looking.look(followed)
            if followed.doing is Doing.LOOKING:
                await self._take(followed, look)
        except Crowded as crowded:
            if followed.doing is Doing.LOOKING:
                self._agenda.put(followed, crowded.seconds)
        except (LookFailed, OSError) as error:
            if followed.doing is Doing.LOOKING:
                self._fail(followed, error)

    async def _take(self, followed: Followed, look: Look) -> None:
        """Take what a look brought.

        Raises:
            OSError: the body cannot be kept.
        """
        if look.feed is not None and self._captures is not None:
            answer = look.answer
            await self._captures.keep(_exchange(look.url, answer), answer.body)
        news = self._learner.learn(followed, look)
        title = look.feed.title if look.feed is not None else ""
        old, moved = followed.url, look.moved_to
        if moved:
            self._move(followed, moved)
        if self._hubs is not None and followed.doing is Doing.LOOKING:
            asking = self._hubs.consider(followed, look)
            if asking is not None:
                self._tasks.start(asking, f"subscribing to {followed.url}")
        self._tell(followed, old, "moved" if moved else "unchanged", news, title, moved)

    def _move(self, followed: Followed, url: str) -> None:
        """Follow a feed where it is for good now, unless that is followed already."""
        if url in self._feeds:
            self._drop(followed.url)
            return
        self._feeds[url] = self._feeds.pop(followed.url)
        followed.url = url
        followed.asked_robots = 0.0

    def _fail(self, followed: Followed, error: LookFailed | OSError) -> None:
        self._learner.fail(followed, error, wall(self._reactor))
        self.tallies.errors.append(f"{self._now()} {followed.url}: {followed.problem}")
        gone = isinstance(error, Gone)
        self._tell(followed, followed.url, "gone" if gone else "failing")
        if gone:
            self._drop(followed.url)

    # Telling

    def _tell(
        self,
        followed: Followed,
        url: str,
        outcome: Outcome,
        news: News | None = None,
        title: str = "",
        moved_to: str = "",
        pushed: bool = False,
    ) -> None:
        new, changed = ([], []) if news is None else (news.new, news.changed)
        if outcome == "unchanged" and (new or changed):
            outcome = "changed"
        self.tallies.note(self._now(), url, outcome, len(new), len(changed), pushed)
        if followed.doing is Doing.LOOKING or followed.doing is Doing.WAITING:
            followed.doing = Doing.TELLING
        state = followed.state()
        self.teller.add(
            followed, FeedNews(url, outcome, state, new, changed, moved_to, title, pushed)
        )
        if followed.again:
            self.teller.hurry()

    async def _keep(self) -> None:
        if self._captures is not None:
            await self._captures.sync()

    def _told(self, feeds: Sequence[Followed]) -> None:
        for followed in feeds:
            if followed.doing is not Doing.TELLING:
                continue
            message, followed.message = followed.message, None
            again, followed.again = followed.again, message is not None and followed.again
            self._agenda.put(followed, 0.0 if again else followed.next - wall(self._reactor))
            if message is not None:
                self._hear(followed, message)

    # Hubs

    def _agreed(self, followed: Followed) -> None:
        """Tell the scheduler at once what was agreed upon with a hub."""
        if followed.doing is Doing.WAITING:
            self._tell(followed, followed.url, "unchanged")
            self.teller.hurry()
        else:
            self._afterwards(followed)

    def _heard(self, followed: Followed, body: bytes) -> None:
        self.tallies.messages += 1
        if followed.doing is Doing.WAITING:
            self._hear(followed, body)
        else:
            followed.message = body
            self._afterwards(followed)

    def _afterwards(self, followed: Followed) -> None:
        """Look once more when the present look is told, which is done at once."""
        followed.again = True
        self.teller.hurry()

    def _hear(self, followed: Followed, body: bytes) -> None:
        followed.doing = Doing.LOOKING
        self._tasks.start(self._take_message(followed, body), "a message of a hub")

    async def _take_message(self, followed: Followed, body: bytes) -> None:
        """Tell what a hub says is new; the feed itself is looked at soon after."""
        news, title = None, ""
        try:
            feed = await self._looking.understand(body, followed.url)
            news, title = compare(feed.entries, followed.seen), feed.title
        except NotAFeed:
            pass  # it says that the feed has changed, all the same
        if followed.doing is Doing.LOOKING:
            self._learner.hear(followed, news, wall(self._reactor))
            self._tell(followed, followed.url, "unchanged", news, title, pushed=True)

    # Keeping house

    def _connected(self, _: Peer) -> None:
        """Begin anew with a scheduler, which gives its feeds with what it knows of each."""
        self._clear()

    def _clear(self) -> None:
        for url in list(self._feeds):
            self._drop(url)
        self._agenda.clear()
        self.teller.clear()

    def _drop(self, url: str) -> None:
        followed = self._feeds.pop(url, None)
        if followed is not None:
            followed.doing = Doing.FORGOTTEN
            if self._hubs is not None:
                self._hubs.forget(followed)

    def _sweep(self) -> None:
        self._looking.sweep()
        self._agenda.tidy(len(self._feeds))
        self.tallies.sample(self._reactor.seconds(), self._looking.requests)

    def _now(self) -> str:
        return dates.now(self._reactor)


def _exchange(url: str, answer: Answer) -> Exchange:
    sent = request_lines(answer.sent, CREDENTIALS)
    return Exchange(url, answer.head, answer.address, answer.date, tls=answer.tls, request=sent)
