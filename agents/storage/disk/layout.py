"""Where everything lies under the folder of a storage node, and which layout it is."""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from agents.storage.disk.lock import one_at_a_time
from agents.storage.errors import LayoutRefused
from anet.durable import sync_file_system

Kind: TypeAlias = Literal["contents", "structures"]

KINDS: tuple[Kind, ...] = ("contents", "structures")
VERSION = "dlweb-storage 2"
OLD_VERSION = "dlweb-storage 1"  # whose lines have no checksum, see `upgrade`
CAPTURES = ".captures"
HEADS = ".heads"
_OF_NEW = {"incoming", *KINDS, "lost+found"}  # what a folder may hold that is no disk yet
_NAME = re.compile(r"[0-9a-f]{8}\n")


class Layout:
    """Names of files and folders under `root`; touches the disk only in `prepare`.

    Attributes:
        root: the node's folder.
        incoming: files being written, on the same file system; emptied on each start.
        additions: the log of what was added.
        quarantine: what an audit found damaged.
        name: the disk's own, 8 hexadecimal digits, which it keeps wherever it is mounted; empty
            before `prepare`.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.incoming = root / "incoming"
        self.additions = root / "additions"
        self.quarantine = root / "quarantine"
        self.name = ""
        self._top = str(root)

    def folder(self, kind: Kind, key: str) -> str:
        """Return the folder that the files of a key belong in."""
        return f"{self._top}/{kind}/{key[:2]}/{key[2:4]}"

    def content(self, key: str) -> Path:
        """Return the path of a content."""
        return Path(self.folder("contents", key), key)

    def captures(self, key: str) -> Path:
        """Return the path of the lines of a structure file."""
        return Path(self.folder("structures", key), f"{key}{CAPTURES}")

    def heads(self, key: str) -> Path:
        """Return the path of the heads that these lines point into."""
        return Path(self.folder("structures", key), f"{key}{HEADS}")

    def path(self, kind: Kind, key: str) -> Path:
        """Return the file whose being there says that the node holds `key`."""
        return self.content(key) if kind == "contents" else self.captures(key)

    def place(self, kind: Kind, key: str) -> str:
        """Return the same as text, which costs a tenth of a path."""
        return f"{self.folder(kind, key)}/{key}{'' if kind == 'contents' else CAPTURES}"

    def in_quarantine(self) -> int:
        """Return how many contents and structure files were put aside as damaged. Blocks."""
        with suppress(OSError):
            return sum(".heads." not in each.name for each in self.quarantine.iterdir())
        return 0

    def version(self) -> str:
        """Return what the folder says of its layout.

        Raises:
            LayoutRefused: it says nothing.
        """
        try:
            return (self.root / "layout").read_text("utf-8", "replace").strip()
        except FileNotFoundError:
            raise LayoutRefused(f"{self.root} is no storage folder: it has no `layout`") from None

    def check(self) -> None:
        """Make sure that the folder is one of a storage node, of this version.

        Raises:
            LayoutRefused: it is not.
        """
        found = self.version()
        if found == OLD_VERSION:
            raise LayoutRefused(
                f"{self.root} has the layout {found!r}: start its storage node once, which "
                f"upgrades it to {VERSION!r} and loses nothing"
            )
        if found != VERSION:
            raise LayoutRefused(
                f"{self.root} has the layout {found[:60]!r}; this version reads {VERSION!r} only"
            )

    def prepare(self) -> None:
        """Make the folders of a new node, or check those of an old one.

        What another node that has the disk open is writing is left alone (see `tidy`).

        Raises:
            LayoutRefused: the folder holds something else, or leads to somewhere else.
            OSError: it cannot be written.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with one_at_a_time(self.root):
            self._prepare()

    def _prepare(self) -> None:
        if not (self.root / "layout").exists():
            strangers = {entry.name for entry in self.root.iterdir()} - _OF_NEW
            if strangers:
                raise LayoutRefused(f"{self.root} has no `layout` but holds {min(strangers)!r}")
            self.write_version()
        if self.version() != OLD_VERSION:
            self.check()
        for folder in (*KINDS, "incoming", "quarantine"):
            (self.root / folder).mkdir(exist_ok=True)
        for folder in (*KINDS, "incoming", "quarantine", "journal"):
            if (self.root / folder).is_symlink():
                raise LayoutRefused(
                    f"{self.root / folder} is a symbolic link: a disk is one folder of one file "
                    "system; move what it leads to into its place"
                )
        self.name = self._own_name()

    def tidy(self) -> None:
        """Empty `incoming`; for who has locked the disk.

        Whatever a killed process left half synced is synced, so that all that can be seen
        from now on is also durable.

        Raises:
            OSError: it cannot be written.
        """
        for leftover in self.incoming.iterdir():
            leftover.unlink()
        sync_file_system(self.root)

    def write_version(self) -> None:
        """Say that the folder has the layout of this version, durably.

        Raises:
            OSError: it cannot be written.
        """
        draft = self.root / "incoming" / "layout"
        draft.parent.mkdir(exist_ok=True)
        with draft.open("w") as file:
            file.write(VERSION + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(self.root / "layout")

    def _own_name(self) -> str:
        """Return the name that the disk was given, which is done now if it has none.

        Raises:
            LayoutRefused: the file that names it is something else.
        """
        path = self.root / "disk"
        if not path.exists():
            draft = self.incoming / "disk"
            with draft.open("w") as file:
                file.write(secrets.token_hex(4) + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
        return self.read_name()

    def read_name(self, *, fresh: bool = False) -> str:
        """Return the name that is on the disk now; `fresh` for not what the system remembers.

        Raises:
            LayoutRefused: the file that names it is something else.
            OSError: there is none, or it cannot be read.
        """
        path = self.root / "disk"
        with path.open(encoding="ascii", errors="replace") as file:
            if fresh:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            found = file.read(100)
        if not _NAME.fullmatch(found):
            raise LayoutRefused(
                f"{path} is not the 8 hexadecimal digits of a disk's name; take the file away, "
                "and the disk gets a new one"
            )
        return found.strip()
