"""Makes sure that whoever registers with the storage master has the archive's secret.

On a machine of its own an agent whose folder has no secret makes one, as the first of an archive
does; then nobody takes its writes, nor does it take theirs, and its datagrams are noise to all. So
the master compares what a secret says of itself, and refuses whoever has another.
"""

from hashlib import blake2b
from pathlib import Path
from typing import Any

from twisted.logger import Logger

from hip import CallRefused, NotConnected, Peer, RemoteError

_ANOTHER = "another-secret"
_REMEMBERED = 100  # names of those that were refused

_log = Logger()


def mark_of(secret: str) -> str:
    """Return what tells a secret from another, and not what it is."""
    return blake2b(secret.encode(), digest_size=16, person=b"dlweb-secret").hexdigest()


async def register(master: Peer, method: str, secret: str, status: object) -> Any:
    """Register with a master; return its answer.

    Raises:
        NotConnected: we do not have the archive's secret; the link is ended.
        HipError: the call failed.
    """
    try:
        return await master.call(method, status=status, mark=mark_of(secret))
    except RemoteError as error:
        if error.code != _ANOTHER:
            raise
        _log.critical("{why}", why=error.message)
        master.close(error.message)
        raise NotConnected(error.message) from None


class Belonging:
    """What the master knows of secrets.

    Args:
        secret: the archive's, as the master has it.
        path: of its file.

    Attributes:
        strangers: why each agent that was refused was, by name.
    """

    def __init__(self, secret: str, path: Path) -> None:
        self._mark, self._path = mark_of(secret), path
        self.strangers: dict[str, str] = {}

    def check(self, name: str, mark: str) -> None:
        """Refuse "another-secret" to an agent that has another; one that says none is believed."""
        self.strangers.pop(name, None)
        if mark in ("", self._mark):
            return
        why = (
            f"{name} does not have the archive's secret: copy {self._path} of the storage master's "
            f"machine into the archive's folder of {name}, and start it again"
        )
        if len(self.strangers) < _REMEMBERED:
            self.strangers[name] = why
        _log.warn("{why}", why=why)
        raise CallRefused(_ANOTHER, why)
