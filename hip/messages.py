"""What is said over a link: one class a message, each knowing its form on the wire.

On the wire a message is a list: its name, then its attributes in order.

    ["request", 7, "collect", {"order": …}]     ["response", 7, null]
    ["error", 7, "busy", "crawler-1 is …"]      ["notification", "progress", {…}]
    ["cancellation", 7]                         ["heartbeat"]
    ["redirection", "10.0.0.2:7104"]            ["goodbye", "stopping"]
"""

from typing import Any, ClassVar

import msgspec
from attrs import fields, frozen

from hip.errors import ProtocolError


class Message:
    """Root of the messages.

    Attributes:
        NAME: the first element on the wire.
    """

    NAME: ClassVar[str]

    def to_wire(self) -> list[Any]:
        """Return the list that goes over the wire."""
        names = _BY_NAME[self.NAME][1]
        return [self.NAME, *[getattr(self, name) for name in names]]


@frozen
class Request(Message):
    """Asks for a method to be run and answered; `number` is new on this side of the link."""

    NAME: ClassVar[str] = "request"
    number: int
    method: str
    arguments: dict[str, Any]


@frozen
class Response(Message):
    """The value that request `number` gave."""

    NAME: ClassVar[str] = "response"
    number: int
    value: Any


@frozen
class Error(Message):
    """Why request `number` gave no value."""

    NAME: ClassVar[str] = "error"
    number: int
    code: str
    words: str


@frozen
class Notification(Message):
    """Asks for a method to be run and not answered."""

    NAME: ClassVar[str] = "notification"
    method: str
    arguments: dict[str, Any]


@frozen
class Cancellation(Message):
    """The caller no longer wants the answer to request `number`."""

    NAME: ClassVar[str] = "cancellation"
    number: int


@frozen
class Heartbeat(Message):
    """Nothing to say, but alive."""

    NAME: ClassVar[str] = "heartbeat"


@frozen
class Redirection(Message):
    """From a master: be the slave of the master at `address` instead (*INA §2.3.1*)."""

    NAME: ClassVar[str] = "redirection"
    address: str


@frozen
class Goodbye(Message):
    """The last message: why the link is closed."""

    NAME: ClassVar[str] = "goodbye"
    reason: str


_KINDS = (
    Request,
    Response,
    Error,
    Notification,
    Cancellation,
    Heartbeat,
    Redirection,
    Goodbye,
)
_BY_NAME: dict[str, tuple[type[Message], list[str]]] = {
    kind.NAME: (kind, [attribute.name for attribute in fields(kind)]) for kind in _KINDS
}


def from_wire(value: object) -> Message:
    """Return the message of a list from the wire.

    Raises:
        ProtocolError: it is not one.
    """
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise ProtocolError("a message is a list that begins with its name")
    if value[0] not in _BY_NAME:
        raise ProtocolError(f"there is no message {value[0][:40]!r}")
    kind, names = _BY_NAME[value[0]]
    if len(value) != len(names) + 1:
        raise ProtocolError(f"a {kind.NAME} has {len(names)} attributes, not {len(value) - 1}")
    try:
        return msgspec.convert(dict(zip(names, value[1:], strict=True)), kind)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"a {kind.NAME} that is none: {error}") from None
