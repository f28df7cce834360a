"""What a URL promises to one who looks for live streams, before anybody has asked its server."""

import re
from collections.abc import Iterable

from agents.stream import canonical

LIKELY, PERHAPS, HARDLY = 2, 1, 0

_SUFFIX = re.compile(r"https?://[^/?#]*/[^?#]*\.(\w{2,5})(?:[?#]|\Z)")
_LISTS = re.compile(r"m3u8?|pls|asx|wax|wvx|ram|smil?|mpd|xspf")
# Sound and pictures that are whole before they are sent, and what is neither.
_WHOLE = re.compile(
    r"mp4|m4[abvp]|mov|qt|avi|wav|aiff?|au|mka|mkv|mk3d|3g[p2]|f4v|rm|ra|rv|rmvb|midi?"
    r"|vtt|srt|ttml|dfxp|pdf|zip|jpe?g|png|gif|webp|svg"
)
# These may be sent while they are made, and most often are files.
_FILES = re.compile(
    r"mp[23]|mpga|mpe?g|aac|ac3|og[gavx]|opus|spx|web[ma]|flac|wm[av]|asf|flv|ts|m2ts"
)


def promise(stream: str) -> int | None:
    """Return how likely a canonical URL is that of a live stream; None when it is none.

    Playlists and schemes of live media are likely; a file of sound is hardly one, but radios have
    such names, too; what a crawl took for a stream for other reasons may be one.
    """
    if not stream.startswith(("http:", "https:")):
        return LIKELY
    found = _SUFFIX.match(stream)
    suffix = found[1].lower() if found else ""
    if _WHOLE.fullmatch(suffix):
        return None
    if _FILES.fullmatch(suffix):
        return HARDLY
    return LIKELY if _LISTS.fullmatch(suffix) else PERHAPS


def promising(urls: Iterable[str]) -> dict[str, int]:
    """Return canonical URLs of what may be live streams with their promise, the best first."""
    streams = [url for text in urls if (url := canonical(text)) is not None]
    found = {url: value for url in streams if (value := promise(url)) is not None}
    return dict(sorted(found.items(), key=lambda one: -one[1]))
