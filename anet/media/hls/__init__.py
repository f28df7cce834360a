"""HTTP Live Streaming (RFC 8216, draft-pantos-hls-rfc8216bis): playlists, and when to read them.

playlist   what a playlist says, as values
reading    text → playlist, within limits
lines      the tags and attributes of its lines
policy     what can be had by it, and when to look again
"""

from anet.media.hls.playlist import Key, Master, Media, Rendition, Variant
from anet.media.hls.policy import following_url, parts, pause, window
from anet.media.hls.reading import read_playlist

__all__ = [
    "Key",
    "Master",
    "Media",
    "Rendition",
    "Variant",
    "following_url",
    "parts",
    "pause",
    "read_playlist",
    "window",
]
