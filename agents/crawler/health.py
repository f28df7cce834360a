"""When to give up a server that does not answer. Pure: no clock."""

PATIENCE = 8  # failures in a row after which a server of the site is given up
STRANGERS = 3  # the same for a server that only holds requisites
LONGEST = 60.0  # seconds between two attempts
_SERVERS = 10_000  # remembered


class Health:
    """Counts the failures in a row of each server, by host and port."""

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}

    def good(self, server: str) -> None:
        """Note an answer."""
        self._failures.pop(server, None)

    def bad(self, server: str) -> float:
        """Note a failure; return the seconds to leave the server alone, doubling each time."""
        if len(self._failures) >= _SERVERS and server not in self._failures:
            return 0.0
        count = self._failures[server] = self._failures.get(server, 0) + 1
        return min(LONGEST, 0.5 * 2.0 ** min(count, 16))

    def given_up(self, server: str, own: bool) -> bool:
        """Tell whether a server is to be asked no more; `own` if it belongs to the site."""
        return self._failures.get(server, 0) >= (PATIENCE if own else STRANGERS)
