"""At which date each reader walks the archive (*INA §2.4.3*: by the browser's IP address)."""

from collections import OrderedDict


class Readers:
    """The dates that readers chose; the least recently seen reader is forgotten first."""

    def __init__(self, limit: int) -> None:
        """Remember at most `limit` readers."""
        self._limit = limit
        self._dates: OrderedDict[str, str] = OrderedDict()

    def date_of(self, address: str) -> str:
        """Return the reader's date of 20 digits, or nothing when they see the newest."""
        date = self._dates.get(address, "")
        if date:
            self._dates.move_to_end(address)
        return date

    def choose(self, address: str, date: str) -> None:
        """Set the reader's date; an empty one means the newest."""
        self._dates.pop(address, None)
        if not date:
            return
        self._dates[address] = date
        while len(self._dates) > self._limit:
            self._dates.popitem(last=False)

    def __len__(self) -> int:
        return len(self._dates)
