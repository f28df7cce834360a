"""What the lines and attributes of playlists refer to."""

import re

from agents.parsers.link import Link, stream

_LOCAL = re.compile(r"[a-z]:[\\/]|\\\\|file:", re.IGNORECASE)  # on the author's own disk


def played(url: str, text: str = "") -> tuple[Link, ...]:
    """Return the link to what a playlist plays; none, if it lies on its author's disk."""
    url = url.strip()
    return () if _LOCAL.match(url) else stream(url, text.strip())
