"""Links and text of Office Open XML: DOCX, XLSX and PPTX (ECMA-376).

A part of the document, such as `word/document.xml`, names its links by numbers that the file
`word/_rels/document.xml.rels` explains; hyperlinks of DOCX may be fields too, and those of XLSX
formulas.
"""

import re
from collections.abc import Iterator

from agents.parsers.fields import TEXT_LIMIT, Fields, links_of
from agents.parsers.link import Found, Link, component, page
from agents.parsers.member_xml import MemberXml, attribute
from agents.parsers.parser import Extracts, Format
from agents.parsers.whole import WholeParser
from agents.parsers.xml_events import END, START, TEXT, Event
from agents.parsers.zip_members import ZipMembers

_PART = re.compile(
    r"(?:.*/)?(?:word|ppt|xl)/(?!.*(?:styles|theme|settings|Masters/|Layouts/|/_rels/)).*\.xml"
)
_RELATIONS = re.compile(r"(.*?)_rels/([^/]*)\.rels")
_FORMULA = re.compile(r'\bHYPERLINK\s*+\(\s*+"((?:[^"]++|"")*+)"', re.IGNORECASE)
# Relations to what a program loads with the document; others are followed by a person.
_LOADED = frozenset(["image", "video", "audio", "media", "frame", "subDocument", "aFChunk",
                     "attachedTemplate"])  # fmt: skip
# A link of DOCX and XLSX holds what it shows; one of PPTX is a property of a run.
_HOLDERS = {"hyperlink": "hyperlink", "hlinkClick": "r"}
_BREAKS = {"p": "\n", "si": "\n", "br": "\n"}
_OFFICE = "application/vnd.openxmlformats-officedocument."
_MACRO = ".macroenabled.12"  # media types are compared in lower case

_Texts = dict[str, str]
"""What links show, by their numbers in a part."""


class OoxmlParser(WholeParser):
    """Parses a document of Office Open XML (see `agents.parsers.Parser`)."""

    format = Format(
        "ooxml",
        (
            _OFFICE + "wordprocessingml.document",
            _OFFICE + "wordprocessingml.template",
            _OFFICE + "spreadsheetml.sheet",
            _OFFICE + "presentationml.presentation",
            _OFFICE + "presentationml.slideshow",
            "application/vnd.ms-word.document" + _MACRO,
            "application/vnd.ms-excel.sheet" + _MACRO,
            "application/vnd.ms-powerpoint.presentation" + _MACRO,
        ),
        (".docx", ".docm", ".dotx", ".xlsx", ".xlsm", ".pptx", ".pptm", ".ppsx"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
        chunked=False,
        heavy=True,
    )
    limit = 32 * 1024 * 1024

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield text and links, part by part."""
        members, xml = ZipMembers(body), MemberXml()
        shown: dict[str, _Texts] = {}
        for name in filter(_PART.fullmatch, members.names):
            part = _Part(self.source.text)
            yield from part.read(xml.read(members.read(name)))
            shown[name] = part.texts
        for name in members.names:
            found = _RELATIONS.fullmatch(name)
            if found is not None:
                texts = shown.get(found[1] + found[2], {})
                yield from _relations(xml.read(members.read(name)), texts)
        self.truncated = self.truncated or members.truncated or xml.truncated


def _relations(events: Iterator[Event | None], texts: _Texts) -> Iterator[Link | None]:
    """Yield the links of a file of relations that lead out of the document."""
    for event in events:
        if event is None:
            yield None
        elif event.kind == START and attribute(event, "TargetMode") == "External":
            url = attribute(event, "Target").strip()
            if attribute(event, "Type").rpartition("/")[2] in _LOADED:
                yield from component(url)
            else:
                yield from page(url, text=texts.get(attribute(event, "Id"), ""))


class _Part:
    """Reads the text of one part, and what its links show.

    Attributes:
        texts: the latter.
    """

    def __init__(self, text: bool) -> None:
        self.texts: _Texts = {}
        self._text = text
        self._fields = Fields(text)
        self._link = ""  # the number of the link that text belongs to
        self._holder = ""  # the element at whose end it ends
        self._inside = ""  # the element whose text is read

    def read(self, events: Iterator[Event | None]) -> Iterator[Found]:
        """Yield text and the links that are written out."""
        for event in events:
            if event is None:
                yield None
            elif event.kind == START:
                yield from self._start(event)
            elif event.kind == END:
                yield from self._end(event.value)
            elif event.kind == TEXT and self._inside:
                yield from self._take(event.value)
        yield from self._fields.close()

    def _start(self, event: Event) -> Iterator[Found]:
        name = event.value
        if name in ("t", "instrText", "f"):
            self._inside = name
        elif name in _HOLDERS:
            self._begin_link(event)
        elif name == "tab" and not event.attributes:  # not the definition of a stop
            yield from self._take("\t")
        elif name == "fldChar":
            yield from self._turn(attribute(event, "fldCharType"))
        elif name == "fldSimple":
            yield from links_of(attribute(event, "instr"), "", self._text)

    def _end(self, name: str) -> Iterator[Found]:
        self._inside = ""
        if name == self._holder:
            self._link = self._holder = ""
        if self._text and name in _BREAKS and self._fields.printed:
            yield _BREAKS[name]

    def _begin_link(self, event: Event) -> None:
        number = next((value for key, value in event.attributes.items() if key[-3:] == ":id"), "")
        if self._text and number:
            self._link, self._holder = number, _HOLDERS[event.value]
            self.texts[number] = attribute(event, "display") or attribute(event, "tooltip")

    def _turn(self, kind: str) -> Iterator[Link]:
        if kind == "begin":
            self._fields.begin()
        elif kind == "separate":
            self._fields.separate()
        elif kind == "end":
            yield from self._fields.end()

    def _take(self, text: str) -> Iterator[Found]:
        if self._inside == "f":
            for url in _FORMULA.findall(text):
                yield from page(url.replace('""', '"'))
            return
        self._fields.add(text)
        if self._text and self._inside != "instrText" and self._fields.printed:
            if self._link:
                self.texts[self._link] = (self.texts[self._link] + text)[:TEXT_LIMIT]
            yield text
