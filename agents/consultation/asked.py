"""What is asked of the archive, whatever door it came through."""

from attrs import frozen

from agents.consultation.readers.reader import Reader


@frozen
class Asked:
    """A request for an archived URL.

    Attributes:
        url: canonical.
        reader: who asks.
        date: that the request itself names (`Accept-Datetime`), 20 digits, or empty.
        referrer: canonical URL of the page or part that asked for it, or empty.
        destination: what the browser wants it for, as `Sec-Fetch-Dest` says (`document`, `image`,
            `style`…) or `readers.destinations` found out (`page`, `other`), or empty.
    """

    url: str
    reader: Reader
    date: str = ""
    referrer: str = ""
    destination: str = ""
