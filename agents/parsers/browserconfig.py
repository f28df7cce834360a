"""`browserconfig.xml`: the pictures of a site that Windows pins to its start screen."""

from collections.abc import Iterable, Mapping

from agents.parsers.link import Found, component, page
from agents.parsers.parser import Format
from agents.parsers.xml_document import XmlDocument

_POLLED = ("polling-uri", "notification")


class BrowserconfigParser(XmlDocument):
    """Parses such a file, which comes as any XML does."""

    format = Format("browserconfig", ())
    roots = frozenset(["browserconfig"])

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Return the picture of a tile, or what tells of news."""
        url = self.resolved(attributes.get("src", ""))
        return page(url) if name.startswith(_POLLED) else component(url)
