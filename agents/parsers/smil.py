"""SMIL: presentations that RealPlayer and others put together of many media (*INA §1.4.3*)."""

from collections.abc import Iterable, Mapping

from agents.parsers.link import Found, component, page
from agents.parsers.parser import Extracts, Format
from agents.parsers.playlist import played
from agents.parsers.xml_document import XmlDocument, joined

_PLAYED = frozenset(["audio", "video", "ref", "animation", "textstream"])
_SHOWN = frozenset(["img", "text", "brush"])


class SmilParser(XmlDocument):
    """Parses a presentation: what it plays are streams, what it shows components."""

    format = Format(
        "smil",
        ("application/smil", "application/smil+xml"),
        (".smil", ".smi"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT,
    )
    roots = frozenset(["smil"])
    _base = ""  # of SMIL's own making: <meta name="base" content="…">

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Return what an element links to."""
        local = name.rpartition(":")[2]
        if local == "meta" and attributes.get("name") == "base":
            self._base = attributes.get("content", "").strip()
        elif local in _PLAYED:
            return played(self._url(attributes, "src"), self._words(attributes))
        elif local in _SHOWN:
            return component(self._url(attributes, "src"))
        elif local in ("a", "area", "anchor"):
            return page(self._url(attributes, "href"), text=self._words(attributes))
        elif local in ("region", "root-layout", "topLayout"):
            return component(self._url(attributes, "backgroundImage"))
        return ()

    def _url(self, attributes: Mapping[str, str], name: str) -> str:
        url = attributes.get(name, "")
        return joined(self._base, self.resolved(url)) if url.strip() else ""

    def _words(self, attributes: Mapping[str, str]) -> str:
        found = attributes.get("title") or attributes.get("alt", "")
        return found if self.source.text else ""
