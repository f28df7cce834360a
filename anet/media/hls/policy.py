"""What can be had by a playlist, and when to look at it again (RFC 8216 §6.3). Pure."""

from anet.media.hls.playlist import Entry, Media
from anet.media.segments import Computed, Resource, Segment, Window

SHORTEST = 0.5  # seconds between two looks, whatever a playlist says
LONGEST = 60.0
# Looks at exactly the source's pace would all come as late after its segments, and nothing would
# tell how late. A little longer, and of eight looks one comes just when there is a segment.
_LAG = 1 / 8
_QUICKEST = 0.1  # seconds between two looks at a server that holds its answers back


def window(playlist: Media) -> Window:
    """Return the segments that can be had; of those left out (`skipped`) the reader knows."""
    first = playlist.number + playlist.skipped
    entries = playlist.entries
    return Window(Computed(len(entries), lambda place: _segment(entries[place], first + place)))


def _segment(entry: Entry, number: int) -> Segment:
    needs = tuple(Resource(key.url) for key in entry.keys if key.url)
    return Segment(
        number,
        number + 1,
        entry.resource,
        entry.duration,
        entry.title,
        entry.date,
        entry.discontinuity,
        entry.gap,
        bool(entry.keys),
        needs=needs if entry.map is None else (*needs, entry.map),
    )


def parts(playlist: Media) -> list[Resource]:
    """Return the parts of segments that can be had, for who wants them before those are whole."""
    listed = [part for entry in playlist.entries for part in entry.parts]
    return [part.resource for part in (*listed, *playlist.parts) if not part.gap]


def pause(playlist: Media, changed: bool, *, blocking: bool = False) -> float:
    """Return the seconds from one look to the next, from the beginning of each.

    Args:
        playlist: as it is now.
        changed: whether it was another one before.
        blocking: whether the server is asked to hold its answer back until there is news.
    """
    if blocking and playlist.control.blocks and changed:
        return max(_QUICKEST, playlist.part_target / 2)  # or a server could have us ask for ever
    wait = playlist.target * (1 + _LAG) if changed else playlist.target / 2
    return min(max(wait, SHORTEST), LONGEST)


def following_url(url: str, playlist: Media) -> str:
    """Return the URL that a server answers once it has the next segment or part (`_HLS_msn`)."""
    if not playlist.control.blocks or playlist.ended:
        return url
    following = playlist.number + playlist.skipped + len(playlist.entries)
    directives = f"_HLS_msn={following}"
    if playlist.part_target:
        directives += f"&_HLS_part={len(playlist.parts)}"
    return f"{url}{'&' if '?' in url else '?'}{directives}"
