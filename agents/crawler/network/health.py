"""When to give up what does not answer. Pure: no clock.

A server that can't be reached is given up as a whole. One that is there, and does not answer some
of its URLs, is given up folder by folder, or script by script: a page that hangs must not cost
the rest of the site.
"""

PATIENCE = 8  # failures in a row after which a folder of the site is given up
STRANGERS = 3  # the same for a server that only holds requisites
FOLDERS = 5  # times as many in a row, over all folders, are too many for a server that is there
LONGEST = 60.0  # seconds between two attempts
_PLACES = 10_000  # remembered


class Health:
    """Counts the failures in a row of each server, by host and port, and of its folders."""

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}

    @property
    def troubled(self) -> bool:
        """Whether anything may be given up at all."""
        return bool(self._failures)

    def good(self, server: str, url: str) -> None:
        """Note an answer."""
        self._failures.pop(server, None)
        self._failures.pop(_folder(url), None)

    def bad(self, server: str, url: str, reached: bool = True) -> float:
        """Note a failure; return the seconds to leave the server alone, doubling each time.

        Args:
            server: host and port.
            url: that failed, canonical.
            reached: whether a connection to the server could be made.
        """
        of_server = self._count(server, 1 if reached else FOLDERS)
        count = self._count(_folder(url), 1) if reached else of_server // FOLDERS
        return min(LONGEST, 0.5 * 2.0 ** min(count, 16)) if count else 0.0

    def given_up(self, server: str, url: str, own: bool) -> bool:
        """Tell whether a URL is to be asked for no more; `own` if it belongs to the site."""
        patience = PATIENCE if own else STRANGERS
        return (
            self._failures.get(server, 0) >= patience * FOLDERS
            or self._failures.get(_folder(url), 0) >= patience
        )

    def _count(self, place: str, weight: int) -> int:
        if len(self._failures) >= _PLACES and place not in self._failures:
            return 0
        count = self._failures[place] = self._failures.get(place, 0) + weight
        return count


def _folder(url: str) -> str:
    """Return the folder of a static URL with its last slash, or the script of a dynamic one."""
    path, query, _ = url.partition("?")
    return path + query if query else path[: path.rindex("/") + 1]
