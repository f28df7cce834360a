"""A reader of the archive, and what they chose."""

from attrs import frozen


@frozen
class Reader:
    """Who reads.

    Attributes:
        key: under which what they chose is remembered: their name, their cookie, or their address.
        address: IP address of who asks.
        name: of whoever has shown a credential, or empty.
    """

    key: str
    address: str
    name: str = ""


@frozen
class Choice:
    """What a reader chose in the harbor.

    Attributes:
        date: at which they read, 20 digits; empty for the newest.
        live: whether they read the live web instead of the archive.
        language: of the harbor, as `en`; empty for what their browser prefers.
    """

    date: str = ""
    live: bool = False
    language: str = ""


PLAIN = Choice()
"""The choice of whoever has chosen nothing."""
