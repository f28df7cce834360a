"""What a live source gives, whatever its protocol, and what tells the time in it."""

# ruff: noqa: N805 (an interface has no self)

from collections.abc import Sequence

from attrs import field, frozen
from zope.interface import Attribute, Interface

from anet.tls import TlsSession


@frozen
class Described:
    """What is known of a stream when it begins.

    Attributes:
        url: where it comes from, behind redirects.
        protocol: "icy", "http", "rtsp" or "mms".
        head: what the server said before the media, byte for byte, to its empty line.
        media_type: of the media, as "audio/mpeg", without parameters.
        address: `ip:port` of the server.
        name: of the station, as its server says; or empty. So are the next three.
        description: of the station.
        genre: of the station.
        homepage: URL of its web site.
        bitrate: kbit/s, as the server says; 0 where it does not.
        request: the head of the request as sent.
        tls: what was agreed upon over TLS.
    """

    url: str
    protocol: str
    head: bytes
    media_type: str
    address: str = ""
    name: str = ""
    description: str = ""
    genre: str = ""
    homepage: str = ""
    bitrate: int = 0
    request: bytes = b""
    tls: TlsSession | None = None


@frozen
class Media:
    """Bytes of the media, in their order, without what the protocol put between them."""

    data: bytes = field(repr=False)


@frozen
class Said:
    """What was said of the media at this place: a title, mostly.

    Attributes:
        title: of what is on the air, as text; or empty.
        fields: all that was said, by name, as text.
        raw: as it came, byte for byte.
    """

    title: str
    fields: dict[str, str] = field(factory=dict)
    raw: bytes = b""


Heard = Media | Said


class ILiveSource(Interface):
    """A live stream that is being received.

    It is read like a tide: between two calls of `take` what comes waits in the socket, so that
    hundreds of streams cost one read a second each, and not one for each packet.
    """

    described = Attribute("What is known of it: `Described`.")

    def take() -> Sequence[Heard]:
        """Return what came since the last call, in its order, and let more come in.

        Raises:
            StreamEnded: all was taken, and the server says that it is over.
            StreamBroken: all was taken, and no more will come.
        """

    def close() -> None:
        """Let go of the server; nothing is taken any more."""


class ISignalClock(Interface):
    """Tells the time by the bytes of the media themselves, a format each (*INA §1.6*).

    Everything counts from the first byte that it was fed.
    """

    position = Attribute("Bytes fed so far: int.")
    boundary = Attribute("Bytes up to the last place where the media may be cut: int.")
    seconds = Attribute("Of signal up to `boundary`: float.")
    preamble = Attribute("What a decoder must be given before a part that begins at `boundary`; "
                         "empty for most formats: bytes.")  # fmt: skip

    def feed(data: bytes) -> Sequence[tuple[int, Said]]:
        """Take the next bytes; return what was said within them, with the byte of each.

        Whatever the bytes are: what is no media of this format passes, and takes no time.
        """
