"""Which channel of a connection carries what: learnt from the server's replies. Pure."""

import re

from anet.media.rtsp.description import Description, Track, read_description
from anet.media.rtsp.reading import Reply

DESCRIPTION = "application/sdp"
_CHANNELS = re.compile(r"(?i)interleaved=(\d{1,3})(?:-(\d{1,3}))?")


class Presentation:
    """What is carried by which channel.

    A client asks for the description, then for each of its tracks, in their order. So the replies
    alone, in their order, tell all: a kept stream can be read without what was asked.

    Attributes:
        description: of the presentation; None before it came.
        tracks: by the channel of their packets.
        reports: the channel of a track's packets, by that of the reports on it.
    """

    def __init__(self) -> None:
        self.description: Description | None = None
        self.tracks: dict[int, Track] = {}
        self.reports: dict[int, int] = {}
        self._next = 0

    def take(self, reply: Reply) -> bool:
        """Learn from the next reply; tell whether a presentation begins with it."""
        status = reply.head.status
        if is_description(reply):
            self.description = read_description(reply.body)
            self.tracks, self.reports, self._next = {}, {}, 0
            return True
        if self.description is not None and status >= 200:
            self._set_up(reply, status < 300)
        return False

    def _set_up(self, reply: Reply, is_good: bool) -> None:
        assert self.description is not None
        tracks = self.description.tracks
        if self._next == len(tracks):
            return
        track = tracks[self._next]
        self._next += 1
        found = _CHANNELS.search(reply.head.headers.text(b"transport"))
        if is_good and found:
            channel = int(found[1])
            self.tracks[channel] = track
            self.reports[int(found[2] or channel + 1)] = channel


def is_description(reply: Reply) -> bool:
    """Tell whether a reply describes a presentation."""
    kind = reply.head.headers.text(b"content-type").partition(";")[0].strip().lower()
    return 200 <= reply.head.status < 300 and kind == DESCRIPTION
