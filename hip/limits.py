"""What one end of a link accepts of the other."""

from attrs import frozen


@frozen
class Limits:
    """Bounds of a link; each end has its own and says the first two in its greeting.

    Attributes:
        frame: bytes of one frame; as values in memory they may take seventy times as much.
        in_flight: calls that are answered at once; and that may wait for an answer.
        line: calls that may stand in line until the peer answers some of those in flight.
        greeting: bytes of the greeting, before the peer is known.
        greeting_time: seconds within which the greeting must come.
        heartbeat: seconds of silence after which a heartbeat is sent.
        silence: seconds without a byte, or without taking one, after which the peer is taken for
            dead. It is looked at once in each `heartbeat` seconds.
        unsent: bytes held for a peer that does not read, and again bytes of its requests that wait
            until it does; past the first the link is ended, past the second they are refused.
        links: slaves, consoles and those that have not greeted yet, at one listener.
    """

    frame: int = 4 * 1024 * 1024
    in_flight: int = 10_000
    line: int = 10_000
    greeting: int = 64 * 1024
    greeting_time: float = 10.0
    heartbeat: float = 10.0
    silence: float = 30.0
    unsent: int = 64 * 1024 * 1024
    links: int = 4000
