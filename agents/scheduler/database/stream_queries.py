"""What the database is asked about live streams."""

from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

from agents.scheduler.streams.life import Hand, Phase

MOST = 1000  # streams of one site, with those that people add
_LISTENED = "phase IN ('ordered', 'receiving', 'broken')"  # as the index says it
_JOINED = "SELECT streams.*, sites.private_networks FROM streams JOIN sites USING (site)"


@frozen
class StreamRow:
    """A stream as it is kept.

    Attributes:
        stream: its URL.
        site: that it belongs to.
        source: the crawl, or the person, that named it first.
        found: when that was.
        seen: when one last did.
        promise: how likely it is live, by its URL.
        phase: where it is.
        changed: when that last did.
        hand: what a person said of it.
        rank: the higher the sooner it gets an agent.
        agent: that listens to it, or empty.
        leaving: the agent that listened before, and goes on for a while; or empty.
        leaves: when that is to leave.
        received: when it was first received since it was chosen, or none.
        tries: how often in a row it was set aside.
        again: when it is tried again, or none.
        why: it is where it is, or empty.
        state: what is known of it (`agents.stream.StreamState`), JSON.
        private_networks: whether its site may be collected from private networks by itself.
    """

    stream: str
    site: str
    source: str
    found: str
    seen: str
    promise: int
    phase: Phase = field(converter=Phase)
    changed: str
    hand: Hand = field(converter=Hand)
    rank: float
    agent: str
    leaving: str
    leaves: str
    received: str | None
    tries: int
    again: str | None
    why: str
    state: str
    private_networks: bool = field(converter=bool)


class StreamQueries:
    """A part of `Queries`."""

    _engine: Any

    def stream(self, stream: str) -> StreamRow | None:
        """Return a stream by its URL, or none."""
        found = self._streams("WHERE stream = ?", stream)
        return found[0] if found else None

    def streams_of(self, site: str) -> list[StreamRow]:
        """Return the streams of a site, by their URLs."""
        return self.streams_after("", MOST, site)

    def streams_after(
        self, stream: str, limit: int, site: str = "", phase: str = ""
    ) -> list[StreamRow]:
        """Return streams with greater URLs, in order: of a site, or in a phase, or all."""
        if site:
            condition = "WHERE site = ? AND stream > ? ORDER BY stream LIMIT ?"
            return self._streams(condition, site, stream, limit)
        if phase:
            condition = "WHERE phase = ? AND stream > ? ORDER BY stream LIMIT ?"
            return self._streams(condition, phase, stream, limit)
        return self._streams("WHERE stream > ? ORDER BY stream LIMIT ?", stream, limit)

    def streams_named(self, streams: Sequence[str]) -> list[StreamRow]:
        """Return streams by their URLs, as far as there are such."""
        marks = ", ".join("?" * len(streams))
        return self._streams(f"WHERE stream IN ({marks})", *streams) if streams else []

    def streams_at(self, agent: str) -> list[str]:
        """Return the URLs of what an agent is to listen to, also until another receives it."""
        rows = self._engine.execute(
            f"SELECT stream FROM streams WHERE agent = ? AND {_LISTENED}"  # noqa: S608 - ours
            " UNION SELECT stream FROM streams WHERE leaving = ? AND leaving <> ''",
            [agent, agent],
        )
        return [row["stream"] for row in rows]

    def streams_waiting(self, agents: Sequence[str], limit: int) -> list[str]:
        """Return streams of agents that are gone, or of none (""), the first by rank first."""
        found: list[Any] = []
        for agent in agents:
            found += self._engine.execute(
                f"SELECT stream, rank, found FROM streams WHERE agent = ? AND {_LISTENED}"  # noqa: S608 - ours
                " ORDER BY rank DESC, found LIMIT ?",
                [agent, limit],
            )
        found.sort(key=lambda row: (-row["rank"], row["found"], row["stream"]))
        return [row["stream"] for row in found[:limit]]

    def streams_left(self, date: str, limit: int = 1000) -> list[StreamRow]:
        """Return streams that their former agent is to leave."""
        return self._streams("WHERE leaving <> '' AND leaves <= ? LIMIT ?", date, limit)

    def stream_loads(self) -> dict[str, int]:
        """Return how many streams each agent has to listen to."""
        loads: dict[str, int] = {}
        for column, condition in (
            ("agent", f"{_LISTENED} AND agent <> ''"),
            ("leaving", "leaving <> ''"),
        ):
            for row in self._engine.execute(
                f"SELECT {column} AS agent, count(*) AS number FROM streams"  # noqa: S608 - ours
                f" WHERE {condition} GROUP BY {column}"
            ):
                loads[row["agent"]] = loads.get(row["agent"], 0) + row["number"]
        return loads

    def streams_again(self, date: str, limit: int) -> list[str]:
        """Return sites of streams that were set aside and may be tried again."""
        rows = self._engine.execute(
            "SELECT site FROM streams WHERE again <= ? ORDER BY again LIMIT ?",
            [date, limit],
        )
        return list(dict.fromkeys(row["site"] for row in rows))

    def sites_with_streams(self, after: str, limit: int) -> list[str]:
        """Return the names of sites that have streams, in order."""
        rows = self._engine.execute(
            "SELECT DISTINCT site FROM streams WHERE site > ? ORDER BY site LIMIT ?",
            [after, limit],
        )
        return [row["site"] for row in rows]

    def _streams(self, condition: str, *values: str | int) -> list[StreamRow]:
        rows = self._engine.execute(f"{_JOINED} {condition}", values)
        return [StreamRow(**dict(row)) for row in rows]
