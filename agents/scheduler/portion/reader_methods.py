"""What the scheduler answers over HIP to agents that gather captures, and that hear of readers."""

from agents.collected.exchange import Collected
from agents.missed import AT_ONCE, MissedLink
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Database
from agents.scheduler.means import Means
from agents.scheduler.portion.missing import Missing
from hip import CallRefused, Peer, exposed

COLLECTIONS = {"feed-aggregator": "feeds", "consultation": "live", "streaming": "streams"}
"""The site under which the captures of each kind of agent are deposited."""


class ReaderMethods:
    """Methods for consultation agents, feed aggregators and streaming agents.

    Args:
        means: the scheduler's.
        missing: what becomes of links that were missed.
        deposits: rung when there is something to deposit.
    """

    def __init__(self, means: Means, missing: Missing, deposits: Alarm) -> None:
        self._means, self._missing, self._deposits = means, missing, deposits

    @exposed(roles=("feed-aggregator", "consultation", "streaming"))
    async def collected(self, peer: Peer, collected: Collected) -> bool:
        """Say where captures lie that no crawl made; the answer: whether they are wanted.

        For feed aggregators (bodies of feeds), consultation agents (what readers saw of the live
        web) and streaming agents (pieces of streams); may be repeated until answered. They are
        deposited like those of a crawl.
        """
        collection = COLLECTIONS.get(peer.kind)
        if collection is None:
            raise CallRefused("not-yours", f"a {peer.kind} gathers no captures")
        wanted = await self._means.store.run(
            Database.gathered, collected, collection, peer.name, self._means.now()
        )
        self._deposits.ring()
        return wanted

    @exposed(roles=("consultation",))
    async def missed(self, peer: Peer, links: list[MissedLink]) -> None:
        """Say which links led readers nowhere; what becomes of them the configuration says.

        For consultation agents; may be repeated until answered.
        """
        if peer.kind != "consultation":
            raise CallRefused("not-yours", f"a {peer.kind} has no readers")
        if len(links) > AT_ONCE:
            raise CallRefused("too-much", f"tell up to {AT_ONCE} links at once")
        await self._missing.heard(links)
