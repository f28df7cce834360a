"""XML within documents of office programs, as events with names free of their prefixes.

Namespaces are not looked up: in these formats no two elements that matter share a local name.
"""

from collections.abc import Iterable, Iterator

from agents.parsers.charset import Text
from agents.parsers.xml_events import Event, XmlEvents


class MemberXml:
    """Reads one XML member after another.

    Attributes:
        truncated: whether one of them passes a limit.
    """

    def __init__(self) -> None:
        self.truncated = False

    def read(self, pieces: Iterable[bytes]) -> Iterator[Event | None]:
        """Yield the events of a member; None stands for work without one."""
        text, events = Text(), XmlEvents()
        for piece in pieces:
            yield from map(_local, events.feed(text.feed(piece)))
        yield from map(_local, events.feed(text.close(), final=True))
        self.truncated = self.truncated or events.truncated


def attribute(event: Event, name: str) -> str:
    """Return an attribute by its local name; empty, if there is none."""
    for written, value in event.attributes.items():
        if written.rpartition(":")[2] == name:
            return value
    return ""


def _local(event: Event | None) -> Event | None:
    if event is None or ":" not in event.value or event.kind == "text":
        return event
    return event._replace(value=event.value.rpartition(":")[2])
