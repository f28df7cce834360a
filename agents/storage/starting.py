"""Services that must do something before they can serve: open files, look at a disk.

Twisted starts a service at once and takes no error from one that takes its time; this says what
is wrong and ends the process, so that whoever watches it can start it again.
"""

from collections.abc import Coroutine
from typing import Any

from twisted.application.service import MultiService
from twisted.internet.defer import CancelledError
from twisted.logger import Logger

from agents.storage.errors import StorageError
from anet.errors import AnetError
from anet.starting import end, words
from anet.tasks import Tasks
from hip import HipError

EXIT_STATUS = 1

_log = Logger()


class OpeningService(MultiService):
    """A service whose parts join it once `opening` has made them ready.

    Attributes:
        opened: whether all parts run.
    """

    def __init__(self, reactor: Any) -> None:
        super().__init__()
        self.opened = False
        self._reactor = reactor
        self._opening = Tasks()

    def startService(self) -> None:
        """Begin to open."""
        super().startService()
        self._opening.start(self._open(), "starting")

    async def stopService(self) -> None:
        """Stop opening, stop the parts, and close what was opened."""
        await self._opening.stop()
        stopped = super().stopService()
        if stopped is not None:
            await stopped
        await self.closing()

    def opening(self) -> Coroutine[Any, Any, None]:
        """Make ready and add the parts, each by `setServiceParent(self)`."""
        raise NotImplementedError

    async def closing(self) -> None:
        """Close what was opened, after all parts have stopped."""

    async def _open(self) -> None:
        try:
            await self.opening()
            self.opened = True
        except CancelledError:
            raise
        except (AnetError, HipError, OSError, StorageError) as error:
            _log.critical("cannot start: {words}", words=words(error))
            self.refuse(words(error))
        except Exception as error:
            _log.failure("cannot start")
            self.refuse(str(error) or repr(error))

    def refuse(self, words: str) -> None:
        """Say why this agent cannot start, and end the process with status 1."""
        end(self._reactor, words, EXIT_STATUS)
