"""Whether a password is a reader's: tried in a thread, and remembered for an hour.

Browsers show a credential with every request, and to try a password takes a tenth of a second. So
what was found is kept, under a digest that tells neither name nor password and that is another one
as soon as the reader's line in the file is.
"""

import hmac
import secrets
from collections import OrderedDict
from pathlib import Path

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from agents.consultation.access.credentials import (
    FILE,
    NOBODY,
    PASSWORD_LIMIT,
    Proof,
    read_readers,
)
from agents.consultation.access.guesses import Guesses
from agents.consultation.errors import ReadersDamaged
from anet.shared import Shared
from anet.tasks import Tasks
from anet.workers import Workers

RIGHT_FOR = 3600.0  # seconds that a right password is remembered
WRONG_FOR = 60.0  # seconds that a wrong one is
LOOK_EVERY = 1.0  # seconds between two looks at the file
_REMEMBERED = 10_000

_log = Logger()
_Stamp = tuple[int, int, int] | None


class Keys:
    """What the file of readers says, as it is now.

    Args:
        workers: their threads read the file and try passwords.
        tasks: whose a try is, which goes on when the client that began it has gone.
        archive: the archive's folder.

    Attributes:
        guesses: wrong ones, by address.

    Raises:
        ReadersDamaged: a line of the file is none.
        OSError: the file cannot be read.
    """

    def __init__(self, workers: Workers, tasks: Tasks, archive: Path) -> None:
        self.guesses = Guesses()
        self._workers = workers
        self._tasks = tasks
        self._archive = archive
        self._secret = secrets.token_bytes(32)
        self._found: OrderedDict[bytes, tuple[bool, float]] = OrderedDict()
        self._trying: dict[bytes, Shared[bool]] = {}
        self._stamp = _stamp(archive / FILE)
        self._readers = read_readers(archive)
        self._looked = self.now()

    def now(self) -> float:
        """Return the time, in the seconds of the reactor."""
        return float(self._workers.clock.seconds())

    def __len__(self) -> int:
        return len(self._readers)

    def __contains__(self, name: object) -> bool:
        return name in self._readers

    async def refresh(self) -> None:
        """Read the file again if it has changed; a damaged one is not taken."""
        now = self.now()
        if now < self._looked + LOOK_EVERY:
            return
        self._looked = now
        try:
            stamp, readers = await self._workers.run(_read_changed, self._archive, self._stamp)
        except (ReadersDamaged, OSError) as error:
            _log.error("the readers stay as they were: {error}", error=error)
            return
        self._stamp = stamp
        if readers is not None:
            self._readers = readers

    def remembered(self, name: str, password: bytes) -> bool | None:
        """Return whether a password is right, or None when that has to be tried."""
        token = self._token(name, password)
        right, until = self._found.get(token, (False, 0.0))
        if until <= self.now():
            return None
        self._found.move_to_end(token)
        return right

    def tried(self, name: str, password: bytes, address: str) -> Deferred[bool]:
        """Return whether a password is right; a wrong one is a guess of that address.

        Raises:
            Overloaded: too many wait.
        """
        token = self._token(name, password)
        running = self._trying.get(token)
        if running is None or running.ended:
            trying = self._try(token, self._readers.get(name), password, address)
            self._trying[token] = running = Shared(self._tasks, trying, "a password")
        return running.wait()

    async def _try(self, token: bytes, proof: Proof | None, password: bytes, address: str) -> bool:
        try:
            right = await self._workers.run(_is_right, proof, password)
        finally:
            self._trying.pop(token, None)
        if not right:
            self.guesses.wrong(address, self.now())
            _log.warn("{address} has shown the credential of nobody", address=address)
        self._remember(token, right)
        return right

    def _remember(self, token: bytes, right: bool) -> None:
        self._found[token] = right, self.now() + (RIGHT_FOR if right else WRONG_FOR)
        while len(self._found) > _REMEMBERED:
            self._found.popitem(last=False)

    def _token(self, name: str, password: bytes) -> bytes:
        proof = self._readers.get(name, NOBODY)
        parts = (proof.salt, proof.hash, name.encode(), password)
        shown = b"".join(len(part).to_bytes(4) + part for part in parts)
        return hmac.digest(self._secret, shown, "sha256")


def _is_right(proof: Proof | None, password: bytes) -> bool:
    if len(password) > PASSWORD_LIMIT:
        return False
    if proof is None:
        NOBODY.make(password)
        return False
    return proof.holds(password)


def _read_changed(archive: Path, known: _Stamp) -> tuple[_Stamp, dict[str, Proof] | None]:
    stamp = _stamp(archive / FILE)
    return stamp, None if stamp == known else read_readers(archive)


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
