"""Answers that never end: live sound and pictures, and events (*INA §1.6*). Pure.

They are listened to, and not waited for: a crawl would be kept for as long as an answer may take.
"""

from anet.http.message import ResponseHead

_PAGES = frozenset(["text/html", "text/css", "image/jpeg", "image/png"])  # for speed
EVENTS = "text/event-stream"
WINDOWS_MEDIA = frozenset(["application/x-mms-framed", "application/vnd.ms.wms-hdr.asfv1"])
"""What says that a server gives Windows Media to those who ask as its players did."""
_ENDLESS = frozenset(["multipart/x-mixed-replace", EVENTS])
_PLAYLISTS = frozenset(
    [
        "audio/mpegurl",
        "audio/scpls",
        "audio/vnd.rn-realaudio",
        "audio/x-mpegurl",
        "audio/x-ms-wax",
        "audio/x-pn-realaudio",
        "audio/x-pn-realaudio-plugin",
        "audio/x-scpls",
        "video/x-ms-asf",
        "video/x-ms-asx",
        "video/x-ms-wvx",
    ]
)  # texts with the types of what they list
_OGG = "application/ogg"  # as Icecast calls all that is in Ogg
_FILE_FIELDS = (b"content-length", b"content-range", b"etag", b"last-modified",
                b"content-disposition")  # fmt: skip


def kind_of(head: ResponseHead) -> str:
    """Return the media type that a head gives, in small letters and without parameters."""
    return head.headers.text(b"content-type").partition(";")[0].strip().lower()


def _plays(kind: str) -> bool:
    """Tell whether a media type is one of sound or pictures that move."""
    return kind not in _PLAYLISTS and (kind.startswith(("audio/", "video/")) or kind == _OGG)


def is_live_stream(head: ResponseHead) -> bool:
    """Tell whether the body that follows a head has no end.

    Radio says so by its `icy-` fields, cameras and event streams by their type. Sound or pictures
    without length, validator or file name are taken for live too: a server that has a file knows
    at least one of these.
    """
    if not 200 <= head.status < 300:
        return False
    kind = kind_of(head)
    if kind in _PAGES:
        return False
    if kind in _ENDLESS:
        return True
    names = head.headers.by_name
    if head.raw.startswith(b"ICY ") or any(name.startswith(b"icy-") for name in names):
        return True
    return _plays(kind) and not any(name in names for name in _FILE_FIELDS)
