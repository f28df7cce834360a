"""In which format a client expects what it asked for: pure (*INA §2.4.2*).

A browser of today says what it wants a content for (`Sec-Fetch-Dest`), one of yesterday what it
would take (`Accept`), and other programs nothing but the URL, whose extension decides then.
"""

import re
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

FaultKind: TypeAlias = Literal[
    "html", "text", "css", "javascript", "json", "xml", "rss", "vtt", "m3u8",
    "svg", "png", "gif", "flash", "pdf", "rtf", "docx", "odt", "audio", "video", "font",
]  # fmt: skip

_BY_EXTENSION: dict[FaultKind, str] = {
    "html": "html htm xhtml php asp aspx jsp",
    "text": "txt md csv log",
    "css": "css",
    "javascript": "js mjs",
    "json": "json map webmanifest geojson",
    "xml": "xml xsl xslt mpd kml",
    "rss": "rss atom rdf",
    "vtt": "vtt srt",
    "m3u8": "m3u8 m3u",
    "svg": "svg",
    "png": "png jpg jpeg jpe webp avif bmp ico cur apng jxl tif tiff",
    "gif": "gif",
    "flash": "swf",
    "pdf": "pdf",
    "rtf": "rtf doc dot",
    "docx": "docx",
    "odt": "odt",
    "audio": "wav mp3 ogg oga opus m4a aac flac weba mid midi ra wma",
    "video": "webm mp4 m4v ogv mov avi flv mkv mpg mpeg wmv 3gp ts",
    "font": "woff woff2 ttf otf eot ttc",
}
_EXTENSIONS: dict[str, FaultKind] = {
    extension: kind for kind, listed in _BY_EXTENSION.items() for extension in listed.split()
}
_ACCEPTED: dict[str, FaultKind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/css": "css",
    "text/javascript": "javascript",
    "application/javascript": "javascript",
    "application/json": "json",
    "application/ld+json": "json",
    "text/plain": "text",
    "application/rss+xml": "rss",
    "application/atom+xml": "rss",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/vtt": "vtt",
    "application/vnd.apple.mpegurl": "m3u8",
    "application/x-shockwave-flash": "flash",
    "application/pdf": "pdf",
    "application/msword": "rtf",
    "application/rtf": "rtf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/font-woff": "font",
}
_DESTINED: dict[str, FaultKind] = {
    "document": "html",
    "iframe": "html",
    "frame": "html",
    "fencedframe": "html",
    "script": "javascript",
    "worker": "javascript",
    "sharedworker": "javascript",
    "serviceworker": "javascript",
    "audioworklet": "javascript",
    "paintworklet": "javascript",
    "style": "css",
    "font": "font",
    "audio": "audio",
    "video": "video",
    "track": "vtt",
    "manifest": "json",
    "json": "json",
    "report": "json",
    "xslt": "xml",
}


def guess_kind(url: str, accept: str = "", destination: str = "") -> FaultKind:
    """Guess which format the client expects.

    Args:
        url: that is asked for.
        accept: the field `Accept`.
        destination: the field `Sec-Fetch-Dest`.
    """
    by_extension = _EXTENSIONS.get(_extension(url))
    destined = _DESTINED.get(destination)
    if destined is not None:
        return by_extension if by_extension == "m3u8" and destined == "video" else destined
    if destination in ("object", "embed") and by_extension is not None:
        return by_extension  # its Accept is that of a page, whatever is embedded
    accepted = _accepted(accept, by_extension)
    if accepted is not None:
        return accepted
    return by_extension or ("json" if destination == "empty" else "html")


def _accepted(accept: str, by_extension: FaultKind | None) -> FaultKind | None:
    first = accept.partition(",")[0].partition(";")[0].strip().lower()
    group = first.partition("/")[0]
    if group == "image":
        if "svg" in accept or "*/*" in accept:
            return "svg"
        return "gif" if first == "image/gif" or by_extension == "gif" else "png"
    if group == "audio":
        return "audio"
    if group == "video":
        return "video"
    if group == "font":
        return "font"
    return _ACCEPTED.get(first)


def _extension(url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    found = re.search(r"\.([A-Za-z0-9]{1,11})$", path)
    return found[1].lower() if found else ""
