"""What one end of a link accepts of the other."""

from attrs import frozen


@frozen
class Limits:
    """Bounds of a link; each end has its own and says the first two in its greeting.

    Attributes:
        frame: bytes of one frame.
        in_flight: calls that wait for an answer, each way.
        greeting: bytes of the greeting, before the peer is known.
        greeting_time: seconds within which the greeting must come.
        heartbeat: seconds of silence after which a heartbeat is sent.
        silence: seconds without a byte after which the peer is taken for dead.
        unsent: bytes written while the peer reads none of them; past it the link is ended.
        links: slaves (and those that have not greeted yet) at one listener.
    """

    frame: int = 16 * 1024 * 1024
    in_flight: int = 10_000
    greeting: int = 64 * 1024
    greeting_time: float = 10.0
    heartbeat: float = 10.0
    silence: float = 30.0
    unsent: int = 64 * 1024 * 1024
    links: int = 2000
