"""What link texts became, so that a page's links that its neighbours have too cost little."""

LIMIT = 30_000  # link texts, folders and servers remembered; then all begins anew

Key = tuple[str, str, bool, bool, bool]  # the fields of a link but its text
Known = dict[Key, str]  # what links became (see `agents.crawler.strategy.judge.Judge.settle`)


class KnownLinks:
    """Remembers links by the folder or server that they are relative to."""

    def __init__(self) -> None:
        self._memory: dict[str, Known] = {}
        self._size = 0

    def relative_to(self, place: str, encoding: str) -> Known:
        """Return what link texts became that are relative to this folder or server.

        Args:
            place: URL of a folder with its last slash, or of a server without one.
            encoding: of the document.
        """
        if self._size > LIMIT:
            self._memory.clear()
            self._size = 0
        key = place if encoding == "utf-8" else f"{place} {encoding}"
        self._size += key not in self._memory
        return self._memory.setdefault(key, {})

    def has_room(self) -> bool:
        """Tell whether one more link text may be remembered; it counts as being so."""
        self._size += 1
        return self._size <= LIMIT
