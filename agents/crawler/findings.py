"""What a crawl finds out beside its captures; the material of its report. All of it is bounded."""

from collections import Counter
from typing import Final

from agents import urls

EXTERNAL_LIMIT: Final = 20_000  # external URLs told with their counts
HOST_LIMIT: Final = 5_000
EDGE_LIMIT: Final = 5_000  # pairs of folders of the site graph
LIST_LIMIT: Final = 5_000  # feeds, streams, failures, traps: of each
OTHER: Final = "other"  # the name of what did not fit


class Tally:
    """Counts by name, of at most `limit` names; the rest is counted as cut."""

    def __init__(self, limit: int) -> None:
        self.counts: dict[str, int] = {}
        self.cut = 0
        self._limit = limit

    def add(self, name: str, count: int = 1) -> None:
        """Count a name."""
        if name in self.counts:
            self.counts[name] += count
        elif len(self.counts) < self._limit:
            self.counts[name] = count
        else:
            self.cut += count


class Listing:
    """Names with a remark each, the first ones up to a limit; the rest is counted as cut."""

    def __init__(self, limit: int = LIST_LIMIT) -> None:
        self.entries: dict[str, str] = {}
        self.cut = 0
        self._limit = limit

    def __len__(self) -> int:
        return len(self.entries) + self.cut

    def add(self, name: str, remark: str = "") -> None:
        """Note a name, once."""
        if name in self.entries:
            return
        if len(self.entries) < self._limit:
            self.entries[name] = remark
        else:
            self.cut += 1


class Findings:
    """What one crawl has found out so far.

    Attributes:
        statuses: answers by HTTP status.
        formats: answers and bytes by media type.
        levels: captures by depth.
        changes: captures by `new`, `changed`, `unchanged`.
        externals: external URLs, by how many documents link to them.
        hosts: the same by host, which goes further.
        edges: links between folders of the site, by (from, to).
        feeds: RSS and Atom feeds, with the page that names each.
        streams: live audio and video, likewise.
        failures: URLs without an answer, with the reason.
        traps: URLs not followed, and documents not searched whole, with the limit that was met.
        trap_kinds: how many there are for each limit (see `agents.crawler.strategy.traps`).
        sessions: URLs with the identifier of a session, and what is followed in place of each.
        excluded: URLs that robots.txt forbids.
    """

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.formats: dict[str, list[int]] = {}
        self.levels: Counter[int] = Counter()
        self.changes: Counter[str] = Counter()
        self.externals = Tally(EXTERNAL_LIMIT)
        self.hosts = Tally(HOST_LIMIT)
        self.edges: Counter[tuple[str, str]] = Counter()
        self.edges_cut = 0
        self.feeds = Listing()
        self.streams = Listing()
        self.failures = Listing()
        self.traps = Listing()
        self.trap_kinds: Counter[str] = Counter()
        self.sessions = Listing()
        self.excluded = Listing()

    def answer(self, status: int, media_type: str, size: int, depth: int, change: str) -> None:
        """Count a capture."""
        self.statuses[status] += 1
        self.levels[depth] += 1
        self.changes[change] += 1
        if media_type not in self.formats and len(self.formats) >= HOST_LIMIT:
            media_type = OTHER
        entry = self.formats.setdefault(media_type, [0, 0])
        entry[0] += 1
        entry[1] += size

    def trap(self, url: str, kind: str, detail: str = "") -> None:
        """Count something not followed or not searched.

        Args:
            url: of it.
            kind: one of the few names of `agents.crawler.strategy.traps`.
            detail: what else is known.
        """
        self.trap_kinds[kind] += 1
        self.traps.add(url, f"{kind}: {detail}" if detail else kind)

    def external(self, url: str, count: int = 1) -> None:
        """Count links out of the site."""
        self.externals.add(url, count)
        self.hosts.add(urls.authority(url), count)

    def edge(self, source: str, destination: str, count: int) -> None:
        """Count links between two folders of the site."""
        pair = (source, destination)
        if pair in self.edges or len(self.edges) < EDGE_LIMIT:
            self.edges[pair] += count
        else:
            self.edges_cut += count


def folder(url: str) -> str:
    """Return the folder of a canonical URL that the site graph counts by: host, first folder."""
    parts = url.partition("?")[0].split("/", 4)
    return f"{parts[2]}/{parts[3]}/" if len(parts) > 4 else f"{parts[2]}/"
