"""Limits of one crawl that the configuration sets."""

from attrs import frozen


@frozen
class Limits:
    """Where a crawl stops.

    Attributes:
        urls: URLs met.
        connect_timeout: seconds for a name, and for a connection.
        silence: seconds without a byte after which an answer is given up.
        longest_exchange: seconds that one answer may take in all.
        longest_rest: seconds that a server may ask to be left alone.
    """

    urls: int = 10_000_000
    connect_timeout: float = 10.0
    silence: float = 60.0
    longest_exchange: float = 3600.0
    longest_rest: float = 120.0
