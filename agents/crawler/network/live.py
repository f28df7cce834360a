"""Answers that never end: live sound and pictures, and events (*INA §1.6*). Pure.

They are the streaming agent's, and would keep a crawl for as long as an answer may take.
"""

from anet.http import ResponseHead

_PAGES = frozenset(["text/html", "text/css", "image/jpeg", "image/png"])  # for speed
_ENDLESS = frozenset(["multipart/x-mixed-replace", "text/event-stream"])
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
_FILE_FIELDS = (b"content-length", b"content-range", b"etag", b"last-modified",
                b"content-disposition")  # fmt: skip


def is_live_stream(head: ResponseHead) -> bool:
    """Tell whether the body that follows a head has no end.

    Radio says so by its `icy-` fields, cameras and event streams by their type. Sound or pictures
    without length, validator or file name are taken for live too: a server that has a file knows
    at least one of these.
    """
    if not 200 <= head.status < 300:
        return False
    kind = head.headers.text(b"content-type").partition(";")[0].strip().lower()
    if kind in _PAGES:
        return False
    if kind in _ENDLESS:
        return True
    names = head.headers.by_name
    if head.raw.startswith(b"ICY ") or any(name.startswith(b"icy-") for name in names):
        return True
    plays = kind.startswith(("audio/", "video/")) and kind not in _PLAYLISTS
    return plays and not any(name in names for name in _FILE_FIELDS)
