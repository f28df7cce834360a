"""The captures of an exchange: what a record means to a reader of the archive. Pure.

A `response` of HTTP, a `revisit` and a `resource` become a capture each, if their target has a
canonical URL and their date is one. What `Dlweb-Origin` says of a record that this archive
exported is held to the form and the limits of an origin first: files are anybody's.
"""

import json
import re
from collections.abc import Sequence

import msgspec

from agents import dates, origin
from agents.archive.importing.digests import declared
from agents.archive.importing.members import Member
from agents.capture import HEAD_LIMIT, METADATA_LIMIT, ORIGIN_LIMIT
from agents.capture_records import received_head, status_of
from agents.posted import posted_url
from agents.stream import LOG_SCHEME
from agents.stream import canonical as canonical_stream
from agents.urls import canonical

CAPTURED = frozenset(("response", "revisit", "resource"))
"""Kinds of records that captures are made of."""
OWN = "dlweb-origin"
"""The field, in small letters, of a record that can be made again from its capture."""

_STATUS = re.compile(r"\d{1,3}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_FRACTION = re.compile(r"(\.\d{6})\d+")
_ORIGIN = re.compile(r"(?:[a-z-]{1,40}: [^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+\n)*")
_METADATA = re.compile(rf"[!-~](?:[ -~]{{0,{METADATA_LIMIT - 2}}}[!-~])?|")
_NOT_MODIFIED = "server-not-modified"
_NOT_CHANGED = 304  # the status of an answer without content
_NOTHING = '""'  # of what an export writes, and belongs to no capture
_MEDIA_TYPE_LIMIT = 1000  # characters


class Found(msgspec.Struct, array_like=True):
    """A capture, on its way between processes; the attributes are those of `agents.capture`."""

    url: str
    date: str
    content: str
    size: int
    status: int
    head: bytes
    origin: str = ""
    metadata: str = ""


class Repeat(msgspec.Struct, array_like=True):
    """A capture whose content is that of another one.

    Attributes:
        capture: without content, size, and the head if that is the other one's too.
        digests: what the record declares of the content.
        url: canonical, of the other; the same where the record does not say which.
        date: of the other, 20 digits; empty where the record does not say it.
        offset: of the record in its file.
        headless: whether the head is the other one's.
    """

    capture: Found
    digests: list[tuple[str, bytes]]
    url: str = ""
    date: str = ""
    offset: int = 0
    headless: bool = False


class Mapped(msgspec.Struct):
    """What became of an exchange.

    Attributes:
        captures: with their contents.
        repeats: those whose contents are elsewhere.
        kept: of each record, whether it is to be kept; not if it can be made from its capture.
        problems: what is wrong with what the records say.
        only_kept: records of which captures are made, but none of these.
    """

    captures: list[Found]
    repeats: list[Repeat]
    kept: list[bool] = []
    problems: list[str] = []
    only_kept: int = 0


def mapped(group: Sequence[Member], file: str) -> Mapped:
    """Return what becomes of an exchange.

    Args:
        group: its records.
        file: the name of the file that they are of.
    """
    result = Mapped([], [], problems=[])
    request = next((each for each in group if each.kind == "request"), None)
    made = [_take(result, each, request, file) for each in group]
    own = [each for each in made if each is not None]
    result.only_kept = sum(each.kind in CAPTURED for each in group) - len(own)
    result.kept = [
        bool(result.problems) or not _is_made_again(member, capture, own)
        for member, capture in zip(group, made, strict=True)
    ]
    return result


def date_of(text: str) -> str:
    """Return the date that a record writes, 20 digits; empty when it is none."""
    if _DATE.fullmatch(text):
        date = f"{text[:4]}{text[5:7]}{text[8:10]}{text[11:13]}{text[14:16]}{text[17:19]}000000"
        try:
            dates.to_datetime(date)
        except dates.InvalidDate:
            return ""
        return date
    try:
        return dates.parse(_FRACTION.sub(r"\1", text[:60]))
    except dates.InvalidDate:
        return ""


def _is_made_again(member: Member, capture: Found | None, captures: Sequence[Found]) -> bool:
    """Tell whether an export writes a record again from captures alone.

    The field that says so may be forged: so a record of its own exchange has to be there, and a
    request has to be what the origin says was sent.
    """
    if OWN not in member.fields:
        return False
    if member.kind == "request":
        sent = [request for each in captures if (request := origin.request_of(each.origin))]
        return member.head + member.body in [each.head + (each.body or b"") for each in sent]
    if capture is not None:
        return bool(member.head)
    return member.kind == "warcinfo" and member.get(OWN) == _NOTHING


def _take(result: Mapped, member: Member, request: Member | None, file: str) -> Found | None:
    """Add the capture of a record, if one can be made of it, and return it."""
    if member.kind not in CAPTURED:
        return None
    if member.get("warc-segment-number"):
        result.problems.append("it is a part of a record, whose segments are kept and not joined")
        return None
    url, method = _named(member, request)
    date = date_of(member.get("warc-date"))
    head = member.head or _head_of_resource(member)
    if not url or not date or len(head) > HEAD_LIMIT:
        return None
    if member.kind != "revisit" and not (head and member.content):
        return None
    told = _origin(member, method, file)
    capture = Found(url, date, member.content, member.size, status_of(head), head, told)
    if OWN in member.fields and member.head:  # an export writes none without
        _take_over(capture, member, result.problems)
    if member.kind == "revisit":
        result.repeats.append(_repeat(capture, member))
    elif capture.status == _NOT_CHANGED and capture.origin == told:
        return None  # shown to a reader of that day, it would hide the page
    else:
        result.captures.append(capture)
    return capture


def _named(member: Member, request: Member | None) -> tuple[str, str]:
    """Return the URL of a record, empty if it has none here, and the method if it is not GET."""
    url = _name_of(member.target, member)
    if not url:
        return "", ""
    if request is None or not request.head or request.head.startswith(b"GET "):
        return url, ""
    method, content_type = _asked(request.head)
    if method in ("", "GET"):
        return url, ""
    return posted_url(url, method, content_type, request.body), method


def _name_of(target: str, member: Member) -> str:
    """Return the name of a capture: a canonical URL; empty if it has none here.

    What this archive exported may also be of a stream that did not come by HTTP, or a log of one.
    """
    stream = target.removeprefix(LOG_SCHEME)
    if OWN in member.fields and canonical_stream(stream) == stream:
        return target
    return canonical(target) or ""


def _asked(head: bytes) -> tuple[str, str]:
    """Return the method and the media type of a request."""
    first, *lines = head.decode("latin-1").splitlines()
    method = first.partition(" ")[0].upper()
    fields = (line.partition(":") for line in lines)
    media = (value.strip() for name, _, value in fields if name.lower() == "content-type")
    return (method if method.isascii() and method.isalpha() else ""), next(media, "")


def _head_of_resource(member: Member) -> bytes:
    """Return the head that a resource is given, which had none: its media type."""
    if member.kind != "resource":
        return b""
    media = member.get("content-type")[:_MEDIA_TYPE_LIMIT]
    line = f"Content-Type: {media}\r\n" if media.isprintable() and media.isascii() and media else ""
    return f"HTTP/1.1 200 OK\r\n{line}\r\n".encode()


def _origin(member: Member, method: str, file: str) -> str:
    """Return where a capture comes from."""
    return origin.composed(
        (
            ("import", file),
            ("record-id", member.get("warc-record-id")),
            ("record", "resource" if member.kind == "resource" else ""),
            ("address", member.get("warc-ip-address")),
            ("method", method),
            ("protocol", member.get("warc-protocol")),
            ("truncated", member.get("warc-truncated")),
            ("revisit", _revisit(member) if member.kind == "revisit" else ""),
        )
    )


def _revisit(member: Member) -> str:
    """Return what a capture repeats, in the words of an origin."""
    profile = "not-modified" if _is_not_modified(member) else "identical-payload"
    said = (profile, date_of(member.get("warc-refers-to-date")), _refers_to(member))
    return " ".join(said[: 3 if said[1] else 1]).rstrip()


def _refers_to(member: Member) -> str:
    other = member.get("warc-refers-to-target-uri").removeprefix("<").removesuffix(">")
    return _name_of(other, member) if other else ""


def _is_not_modified(member: Member) -> bool:
    return _NOT_MODIFIED in member.get("warc-profile")


def _repeat(capture: Found, member: Member) -> Repeat:
    digest = declared(member.get("warc-payload-digest"))
    date = date_of(member.get("warc-refers-to-date"))
    headless = not member.head or (_is_not_modified(member) and OWN not in member.fields)
    if headless:
        capture.head, capture.status = b"", 0
    other = _refers_to(member) or capture.url
    return Repeat(capture, [digest] if digest else [], other, date, member.offset, headless)


def _take_over(capture: Found, member: Member, problems: list[str]) -> None:
    """Give a capture what the archive that exported it said; not what no archive says."""
    told = _own_origin(member.get(OWN))
    url = member.get("dlweb-url") or capture.url
    metadata = member.get("dlweb-metadata")
    status = member.get("dlweb-status") or str(capture.status)
    try:
        head = received_head(capture.head, member.get("dlweb-head") or "[]")
    except ValueError:
        told = None
    sound = _METADATA.fullmatch(metadata) and _STATUS.fullmatch(status)
    if told is None or _name_of(url, member) != url or not sound:
        problems.append("its Dlweb- fields are not what this archive writes; they are not heeded")
        return
    capture.origin, capture.url, capture.metadata, capture.head = told, url, metadata, head
    capture.status = int(status)


def _own_origin(text: str) -> str | None:
    """Return the origin that a field holds as JSON; None if it is none."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, str) or len(told) > ORIGIN_LIMIT or not _ORIGIN.fullmatch(told):
        return None
    if origin.value(told, "import"):  # an export gives such captures as the records they were
        return None
    return told if len(told.encode()) <= ORIGIN_LIMIT else None
