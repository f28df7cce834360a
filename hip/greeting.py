"""The first frame each way: who speaks, and in which serializers."""

from collections.abc import Sequence
from sys import intern

from attrs import asdict, evolve, frozen

from hip.codecs import CODECS, YAML, Codec
from hip.errors import ProtocolError
from hip.limits import Limits
from hip.version import VERSION

PROTOCOL = 2
NAME_LIMIT = 200  # characters


@frozen
class Greeting:
    """What an agent says of itself.

    Attributes:
        hip: version of the protocol.
        kind: what the agent is, `site-crawler`.
        name: which one, unique among its master's slaves, `crawler-1`.
        version: of its software.
        serializers: what it speaks, best first.
        frame: bytes of the largest frame it accepts.
        in_flight: calls it answers at once.
    """

    hip: int
    kind: str
    name: str
    version: str = ""
    serializers: tuple[str, ...] = ("yaml",)
    frame: int = 64 * 1024
    in_flight: int = 100

    @classmethod
    def of(
        cls, kind: str, name: str, limits: Limits, serializers: Sequence[str] = tuple(CODECS)
    ) -> "Greeting":
        """Return the greeting of an agent of this software.

        Raises:
            ValueError: nobody would take it; the message says why.
        """
        greeting = cls(
            hip=PROTOCOL,
            kind=kind,
            name=name,
            version=VERSION,
            serializers=tuple(serializers),
            frame=limits.frame,
            in_flight=limits.in_flight,
        )
        if fault := greeting.fault:
            raise ValueError(fault)
        return greeting

    @property
    def fault(self) -> str:
        """Why nobody takes such a greeting; empty when it is good."""
        for text in (self.kind, self.name):
            if not 0 < len(text) <= NAME_LIMIT or not text.isprintable() or "/" in text:
                return f"{text[:40]!r} is no name: 1 to {NAME_LIMIT} printable characters, no /"
        if self.frame < 1024 or self.in_flight < 1:
            return "the greeting's limits leave no room to talk"
        return ""

    def encode(self) -> bytes:
        """Return the payload of the first frame."""
        return YAML.encode(asdict(self))

    @classmethod
    def decode(cls, payload: bytes | memoryview) -> "Greeting":
        """Read the first frame of a peer.

        Raises:
            ProtocolError: it is no greeting, or of another version of HIP.
        """
        greeting: Greeting = YAML.decode(payload, cls)
        if greeting.hip != PROTOCOL:
            raise ProtocolError(f"HIP {greeting.hip} is spoken there, and HIP {PROTOCOL} here")
        if fault := greeting.fault:
            raise ProtocolError(fault)
        return evolve(  # thousands of slaves of one kind keep one copy of what they say alike
            greeting,
            kind=intern(greeting.kind),
            version=intern(greeting.version),
            serializers=tuple(map(intern, greeting.serializers)),
        )


def choose_codec(master: Greeting, slave: Greeting) -> Codec:
    """Return the first serializer of the master's list that the slave speaks too.

    Raises:
        ProtocolError: they share none.
    """
    for name in master.serializers:
        if name in slave.serializers and name in CODECS:
            return CODECS[name]
    raise ProtocolError(
        f"no serializer in common: "
        f"{', '.join(master.serializers)} and {', '.join(slave.serializers)}"
    )
