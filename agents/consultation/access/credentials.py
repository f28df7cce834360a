"""The readers who have a credential: names, and what only proves a password.

The file `readers` in the archive's folder has a line for each, in the form of the PHC strings that
other programs read too:

    anna:$scrypt$ln=15,r=8,p=1$<salt>$<hash>

Passwords are not in it. To try one takes a tenth of a second and 32 MiB, so that who steals the
file cannot try many. Everything here blocks, and belongs in a thread.
"""

import fcntl
import hashlib
import hmac
import os
import re
import secrets
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from agents.configuration.folder import private_folder
from agents.consultation.errors import ReadersDamaged
from anet.durable import sync_path

FILE = "readers"  # in the archive's folder
SIZE_LIMIT = 4 * 1024 * 1024  # bytes of the file
PASSWORD_LIMIT = 1000  # bytes
SHORTEST = 8  # characters of a password
_COST = 15  # power of two
_COST_LIMIT = 18
_MEMORY = 1 << 30  # bytes that scrypt may take at most
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._@-]{0,99}")  # never an address: choices go by either
_LINE = re.compile(
    r"(?P<name>[^:]+):\$scrypt\$ln=(?P<cost>\d{1,2}),r=(?P<block>\d{1,2}),p=(?P<lanes>\d{1,2})"
    r"\$(?P<salt>[A-Za-z0-9+/]{8,128})\$(?P<hash>[A-Za-z0-9+/]{22,128})"
)


@frozen
class Proof:
    """What proves a password, and does not tell it.

    Attributes:
        cost: power of two of scrypt's N.
        block: scrypt's r.
        lanes: scrypt's p.
        salt: random bytes.
        hash: what scrypt makes of the password.
    """

    cost: int
    block: int
    lanes: int
    salt: bytes
    hash: bytes

    @classmethod
    def of(cls, password: str) -> "Proof":
        """Return what proves a password from now on."""
        salt = secrets.token_bytes(16)
        blank = cls(_COST, 8, 1, salt, bytes(32))
        return cls(_COST, 8, 1, salt, blank.make(password.encode()))

    def make(self, password: bytes) -> bytes:
        """Return what scrypt makes of a password."""
        return hashlib.scrypt(
            password,
            salt=self.salt,
            n=1 << self.cost,
            r=self.block,
            p=self.lanes,
            maxmem=_MEMORY,
            dklen=len(self.hash),
        )

    def holds(self, password: bytes) -> bool:
        """Tell whether a password is the right one, in the same time whether it is or not."""
        return hmac.compare_digest(self.make(password), self.hash)


NOBODY = Proof(_COST, 8, 1, bytes(16), bytes(32))
"""What is tried for a name that is not in the file, so that the time does not tell which are."""


def read_readers(archive: Path) -> dict[str, Proof]:
    """Return who may come into an archive; nobody where there is no file.

    Raises:
        ReadersDamaged: a line of the file is none.
        OSError: the file cannot be read.
    """
    path = archive / FILE
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        return {}
    if len(data) > SIZE_LIMIT:
        raise ReadersDamaged(f"{path} has more than {SIZE_LIMIT} bytes")
    found: dict[str, Proof] = {}
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            name, proof = _parse(line.strip(), f"{path}:{number}")
            found[name] = proof
    return found


def add_reader(archive: Path, name: str, password: str) -> bool:
    """Add a reader, or give one another password; return whether the name is new.

    Raises:
        ReadersDamaged: the name or the password is none that a browser could send, or the
            password is too short, or the file is damaged.
        OSError: the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ReadersDamaged(
            f"{name[:80]!r} cannot be a reader's name: 1 to 100 ASCII letters, digits, `.`, `_`, "
            "`-` and `@`, a letter first"
        )
    if not password.isprintable() or len(password.encode()) > PASSWORD_LIMIT:
        raise ReadersDamaged(f"a password has at most {PASSWORD_LIMIT} printable characters")
    if len(password) < SHORTEST:
        raise ReadersDamaged(f"a password has at least {SHORTEST} characters")
    proof = Proof.of(password)
    return _change(archive, lambda readers: readers.update({name: proof}))


def remove_reader(archive: Path, name: str) -> bool:
    """Remove a reader; return whether there was one.

    Raises:
        ReadersDamaged: the file is damaged.
        OSError: the file cannot be written.
    """
    return _change(archive, lambda readers: readers.pop(name, None))


def _change(archive: Path, change: Callable[[dict[str, Proof]], object]) -> bool:
    """Change the file as a whole; return whether there are more or fewer readers than before."""
    folder = private_folder(archive)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # two changes at once would lose one
        readers = read_readers(folder)
        before = len(readers)
        change(readers)
        _write(folder / FILE, readers)
        return len(readers) != before
    finally:
        os.close(descriptor)


def _write(path: Path, readers: Mapping[str, Proof]) -> None:
    text = "".join(_line(name, readers[name]) for name in sorted(readers))
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    sync_path(path.parent)


def _line(name: str, proof: Proof) -> str:
    costs = f"ln={proof.cost},r={proof.block},p={proof.lanes}"
    return f"{name}:$scrypt${costs}${_coded(proof.salt)}${_coded(proof.hash)}\n"


def _coded(data: bytes) -> str:
    return b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return b64decode(text + "=" * (-len(text) % 4), validate=True)


def _parse(line: str, place: str) -> tuple[str, Proof]:
    found = _LINE.fullmatch(line)
    if found is None or not _NAME.fullmatch(found["name"]):
        raise ReadersDamaged(f"{place}: no reader; `dlweb reader add` writes such lines")
    cost, block, lanes = int(found["cost"]), int(found["block"]), int(found["lanes"])
    if not 10 <= cost <= _COST_LIMIT or not 1 <= block <= 16 or not 1 <= lanes <= 16:
        raise ReadersDamaged(f"{place}: scrypt with such costs is not taken")
    try:
        return found["name"], Proof(
            cost, block, lanes, _decoded(found["salt"]), _decoded(found["hash"])
        )
    except NotBase64:
        raise ReadersDamaged(f"{place}: salt or hash is not base64") from None
