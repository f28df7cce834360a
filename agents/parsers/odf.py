"""Links and text of OpenDocument: ODT, ODS, ODP and their flat XML (ISO/IEC 26300)."""

import re
from collections.abc import Iterator

from agents.parsers.fields import TEXT_LIMIT
from agents.parsers.link import Found, Link, component, page
from agents.parsers.member_xml import MemberXml, attribute
from agents.parsers.parser import Extracts, Format
from agents.parsers.whole import WholeParser
from agents.parsers.xml_events import END, START, TEXT, Event
from agents.parsers.zip_members import ZipMembers

_MEMBERS = ("content.xml", "styles.xml", "meta.xml")
# What does not lie within the document itself: a URL with its scheme, or a way out of the folder
# that the zip file is.
_OUTSIDE = re.compile(r"(?:\.\./|[a-z][a-z0-9+.\-]*+:|/)", re.IGNORECASE)
_PARAGRAPHS = frozenset(["p", "h"])
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_OFFICE = "application/vnd.oasis.opendocument."


class OdfParser(WholeParser):
    """Parses a document of OpenDocument (see `agents.parsers.Parser`)."""

    format = Format(
        "odf",
        tuple(
            _OFFICE + kind
            for kind in (
                "text", "text-template", "text-master", "text-web", "spreadsheet",
                "spreadsheet-template", "presentation", "presentation-template", "graphics",
                "text-flat-xml", "spreadsheet-flat-xml", "presentation-flat-xml",
                "graphics-flat-xml",
            )
        ),
        (".odt", ".ott", ".ods", ".ots", ".odp", ".otp", ".odg", ".fodt", ".fods", ".fodp"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
        chunked=False,
        heavy=True,
    )  # fmt: skip
    limit = 32 * 1024 * 1024

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield text and links, member by member."""
        xml = MemberXml()
        if body.startswith(b"PK"):
            members = ZipMembers(body)
            for name in _MEMBERS:
                yield from _Content(self.source.text).read(xml.read(members.read(name)))
            self.truncated = members.truncated
        else:
            yield from _Content(self.source.text).read(xml.read([body]))
        self.truncated = self.truncated or xml.truncated


class _Content:
    """Reads one member."""

    def __init__(self, text: bool) -> None:
        self._text = text
        self._paragraphs = 0  # open ones; one may lie in another, as in a frame's box
        self._link = ""  # the URL of the link that text belongs to
        self._shown = ""

    def read(self, events: Iterator[Event | None]) -> Iterator[Found]:
        """Yield its text and links."""
        for event in events:
            if event is None:
                yield None
            elif event.kind == START:
                yield from self._start(event)
            elif event.kind == END:
                yield from self._end(event.value)
            elif event.kind == TEXT and self._paragraphs and self._text:
                self._shown = (self._shown + event.value)[:TEXT_LIMIT] if self._link else ""
                yield event.value

    def _start(self, event: Event) -> Iterator[Found]:
        name, url = event.value, attribute(event, "href").strip()
        if name in _PARAGRAPHS:
            self._paragraphs += 1
        elif name == "a":
            yield from self._end_link()
            self._link = url.removeprefix("../")
        elif url and _OUTSIDE.match(url):
            yield from component(url.removeprefix("../"))
        if self._text and self._paragraphs and name in _SPACES:
            yield _SPACES[name]

    def _end(self, name: str) -> Iterator[Found]:
        if name == "a":
            yield from self._end_link()
        elif name in _PARAGRAPHS:
            self._paragraphs -= 1
            if self._text:
                yield "\n"

    def _end_link(self) -> Iterator[Link]:
        url, self._link = self._link, ""
        shown, self._shown = self._shown, ""
        yield from page(url, text=shown.strip())
