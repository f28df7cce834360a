"""Really Simple Discovery: the home page of a weblog and of the software that makes it."""

from collections.abc import Iterable

from agents.parsers.link import Found, page
from agents.parsers.parser import Format
from agents.parsers.xml_document import XmlDocument


class RsdParser(XmlDocument):
    """Parses a description; the addresses of its interfaces are for programs that write."""

    format = Format("rsd", ("application/rsd+xml",), (".rsd",))
    roots = frozenset(["rsd"])

    def end(self, name: str, text: str) -> Iterable[Found]:
        """Return the page of an element."""
        return page(self.resolved(text)) if name in ("homePageLink", "engineLink") else ()
