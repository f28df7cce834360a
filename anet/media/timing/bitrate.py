"""The time of what is in no format that is known: by its bit rate, where a server says one."""

from anet.media.timing.walk import Walk


class BitrateClock(Walk):
    """Goes by the number of bytes; without a bit rate it tells no time.

    Args:
        bitrate: kbit/s, as its server says; 0 where it does not.
    """

    def __init__(self, bitrate: int) -> None:
        super().__init__()
        self._rate = bitrate * 125  # bytes a second

    def _walk(self, data: bytes) -> tuple[int, int]:
        place = self._start + len(data)
        self._arrive(len(data), place / self._rate if self._rate > 0 else 0.0)
        return len(data), 0
