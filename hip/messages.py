"""What is said over a link: one class a message, checked by its types as it arrives.

A frame says one thing. Messages that come in numbers travel many in a frame, all of one kind:

    ["request", [[7, "collect", {"order": …}, 60.0], …]]
    ["response", [[7, null], …]]                ["error", [[7, "busy", "crawler-1 is …"], …]]
    ["notification", [["progress", {…}], …]]    ["cancellation", [[7], …]]
    ["heartbeat"]    ["redirection", "10.0.0.2:7104"]    ["goodbye", "stopping"]

These are msgspec's and not attrs' classes: made, written, read and checked in C, they cost a
twentieth of a microsecond, where everything that a call costs is four.
"""

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

Number = Annotated[int, Meta(ge=1, le=2**53)]  # every language can count so far
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Words = Annotated[str, Meta(max_length=2000)]
_MANY = Meta(max_length=65_535)  # messages in a frame; also what one turn of the reactor may cost


class Message(Struct, array_like=True, frozen=True):
    """Root of the messages that travel many in a frame.

    Attributes:
        KIND: the first element of the frame that carries them.
    """

    KIND: ClassVar[str] = ""


class Request(Message, frozen=True, gc=False):
    """Asks for a method to be run and answered within `patience` seconds.

    `number` is larger than any that this side of the link has used before.
    """

    KIND: ClassVar[str] = "request"
    number: Number
    method: Name
    arguments: dict[str, Any]
    patience: Annotated[float, Meta(gt=0)]


class Response(Message, frozen=True, gc=False):
    """The value that request `number` gave."""

    KIND: ClassVar[str] = "response"
    number: Number
    value: Any


class Error(Message, frozen=True, gc=False):
    """Why request `number` gave no value."""

    KIND: ClassVar[str] = "error"
    number: Number
    code: Words
    words: Words


class Notification(Message, frozen=True, gc=False):
    """Asks for a method to be run and not answered."""

    KIND: ClassVar[str] = "notification"
    method: Name
    arguments: dict[str, Any]


class Cancellation(Message, frozen=True, gc=False):
    """The caller no longer wants the answer to request `number`."""

    KIND: ClassVar[str] = "cancellation"
    number: Number


class Requests(Struct, array_like=True, frozen=True, tag="request"):
    """A frame of requests."""

    messages: Annotated[list[Request], _MANY]


class Responses(Struct, array_like=True, frozen=True, tag="response"):
    """A frame of responses."""

    messages: Annotated[list[Response], _MANY]


class Errors(Struct, array_like=True, frozen=True, tag="error"):
    """A frame of errors."""

    messages: Annotated[list[Error], _MANY]


class Notifications(Struct, array_like=True, frozen=True, tag="notification"):
    """A frame of notifications."""

    messages: Annotated[list[Notification], _MANY]


class Cancellations(Struct, array_like=True, frozen=True, tag="cancellation"):
    """A frame of cancellations."""

    messages: Annotated[list[Cancellation], _MANY]


class Heartbeat(Struct, array_like=True, frozen=True, tag="heartbeat"):
    """Nothing to say, but alive."""


class Redirection(Struct, array_like=True, frozen=True, tag="redirection"):
    """From a master: be the slave of the master at `address` instead (*INA §2.3.1*)."""

    address: Words


class Goodbye(Struct, array_like=True, frozen=True, tag="goodbye"):
    """The last frame: why the link is closed."""

    reason: Words


Single = Heartbeat | Redirection | Goodbye
Frame = Requests | Responses | Errors | Notifications | Cancellations | Single
