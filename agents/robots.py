"""robots.txt (RFC 9309): what a server asks crawlers not to fetch, and how slowly to go.

Pure: what was answered goes in, rules come out.
"""

from attrs import frozen
from protego import Protego

SIZE_LIMIT = 500 * 1024  # bytes read of a robots.txt (RFC 9309 §2.5)
REDIRECTS = 5  # followed for a robots.txt (RFC 9309 §2.3.1.2)


@frozen
class Rules:
    """What one server (scheme, host and port) asks.

    Attributes:
        delay: seconds it asks for between requests, or 0.
        unknown: why it could not be asked, so that everything is disallowed for now; or empty.
        sitemaps: that it names.
    """

    delay: float = 0.0
    unknown: str = ""
    sitemaps: tuple[str, ...] = ()
    _file: Protego | None = None
    _agent: str = ""

    def allow(self, url: str) -> bool:
        """Tell whether a canonical URL of the server may be fetched."""
        if self.unknown:
            return False
        return self._file is None or bool(self._file.can_fetch(url, self._agent))


ALLOW_ALL = Rules()


def product(user_agent: str) -> str:
    """Return the product token of a user agent, which groups of robots.txt are named by."""
    return user_agent.partition("/")[0].strip() or "*"


def rules(status: int, body: bytes, user_agent: str) -> Rules:
    """Return the rules that an answer to `GET /robots.txt` gives.

    No such file (4xx) allows everything; a server that fails (5xx) disallows everything for now;
    redirections that end nowhere allow everything.

    Args:
        status: of the answer, after redirections.
        body: its first `SIZE_LIMIT` bytes.
        user_agent: how the crawler names itself.
    """
    if status >= 500:
        return Rules(unknown=f"the server answers {status}")
    if not 200 <= status < 300:
        return ALLOW_ALL
    text = body[:SIZE_LIMIT].decode("utf-8", "replace").removeprefix("\ufeff")
    file = Protego.parse(text)
    agent = product(user_agent)
    delay = file.crawl_delay(agent) or 0.0
    return Rules(max(0.0, float(delay)), "", tuple(file.sitemaps), file, agent)
