"""What is shown where the archive has a hole (*INA §2.4.2*): which fault it is, and in which kind.

Pure. The texts in each format are in `contents`.
"""

import re
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from attrs import frozen

FaultKind: TypeAlias = Literal["html", "svg", "png", "gif", "css", "javascript", "json", "text"]

_EXTENSIONS: dict[str, FaultKind] = {
    "html": "html", "htm": "html", "xhtml": "html", "php": "html", "asp": "html",
    "aspx": "html", "jsp": "html", "svg": "svg", "png": "png", "jpg": "png", "jpeg": "png",
    "webp": "png", "avif": "png", "bmp": "png", "ico": "png", "gif": "gif", "css": "css",
    "js": "javascript", "mjs": "javascript", "json": "json", "map": "json",
    "txt": "text", "md": "text", "csv": "text", "xml": "text", "rss": "text", "atom": "text",
}  # fmt: skip
_ACCEPTED: tuple[tuple[str, FaultKind], ...] = (
    ("text/html", "html"),
    ("application/xhtml+xml", "html"),
    ("text/css", "css"),
    ("text/javascript", "javascript"),
    ("application/javascript", "javascript"),
    ("application/json", "json"),
    ("text/plain", "text"),
)


@frozen
class Fault:
    """Why the archive cannot give what was asked.

    Attributes:
        status: HTTP status of the answer.
        code: short name, for programs.
        title: a few words.
        message: one or two sentences that say what is missing and what to do.
        url: what was asked for.
        date: the reader's date, 20 digits, or empty for the newest.
    """

    status: int
    code: str
    title: str
    message: str
    url: str = ""
    date: str = ""


def unknown_url(url: str, date: str = "") -> Fault:
    """Return the fault of a URL without structure file (*INA §2.3.2*: 404)."""
    return Fault(
        404, "unknown-url", "Not in the archive",
        "The archive holds no capture of this URL, at any date.", url, date,
    )  # fmt: skip


def missing_captures(url: str, date: str, reason: str) -> Fault:
    """Return the fault of a URL that is known, and whose structure file no node gives."""
    return Fault(
        500, "missing-captures", "The captures are missing",
        f"The archive knows this URL, but no storage node gives its captures: {reason}. This is a "
        "fault of the archive itself; its operators should know.", url, date,
    )  # fmt: skip


def missing_content(url: str, date: str, content: str) -> Fault:
    """Return the fault of a capture whose content no node gives (*INA §2.3.2*: 500)."""
    return Fault(
        500, "missing-content", "The content is missing",
        "The archive knows this URL, but no storage node gives the content it had then "
        f"(SHA-256 {content}). This is a fault of the archive itself; its operators should know.",
        url, date,
    )  # fmt: skip


def unreachable(url: str, date: str, reason: str) -> Fault:
    """Return the fault of an archive whose index or nodes do not answer."""
    return Fault(
        503, "archive-unreachable", "The archive does not answer",
        f"It cannot say now what it holds of this URL: {reason}. Try again in a moment.",
        url, date,
    )  # fmt: skip


def bad_request(message: str, url: str = "") -> Fault:
    """Return the fault of a request that says nothing the archive understands."""
    return Fault(400, "bad-request", "The request is not understood", message, url)


def wrong_method(method: str, url: str) -> Fault:
    """Return the fault of a method that changes something: the past cannot be changed."""
    return Fault(
        405, "read-only", "The archive is read only",
        f"It answers GET and HEAD; {method} would ask the site itself, and nothing that is "
        "asked here reaches the live web.", url,
    )  # fmt: skip


def no_tunnel(authority: str) -> Fault:
    """Return the fault of CONNECT, by which browsers ask for https:// URLs."""
    return Fault(
        501, "no-https", "No https:// yet",
        "This version of the archive's proxy takes no tunnels, so a browser cannot ask it for "
        f"https://{authority}/. Ask with http:// instead: where the archive holds only the "
        "https:// capture of a URL, it gives that one.", f"https://{authority}/",
    )  # fmt: skip


def guess_kind(url: str, accept: str = "") -> FaultKind:
    """Guess which format the client expects, from the URL and the Accept field.

    A browser says that it wants a page, an image or a style; for the rest the extension decides,
    and a page where nothing tells.
    """
    first = accept.partition(",")[0].partition(";")[0].strip().lower()
    by_extension = _EXTENSIONS.get(_extension(url))
    if first.startswith("image/"):
        if "svg" in accept or "*/*" in accept:
            return "svg"
        return "gif" if first == "image/gif" or by_extension == "gif" else "png"
    for media_type, kind in _ACCEPTED:
        if first == media_type:
            return kind
    return by_extension or "html"


def _extension(url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    found = re.search(r"\.([A-Za-z0-9]{1,5})$", path)
    return found[1].lower() if found else ""
