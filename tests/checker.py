"""Checks an archive on bare disks; imports nothing of the project, only the standard library.

    python tests/checker.py [--captures] [--acknowledged FILE] FOLDER…

Each FOLDER is a disk of a storage node (`var/storage-1`). Verified are: the layout's version; that
every content hashes to its name and lies where the layout says, or in a journal; every line of
every structure file (form, order, no doubles, checksum, head and origin within the heads, the size
of its content); that the URL in the heads is the one whose hash names the files; that the content
of every capture is in at least one folder.

--captures prints every capture as a line of JSON. --acknowledged names a file of such lines (url,
date and content are enough), each of which must be in the archive. What is wrong goes to standard
error, a line each; the exit status is then 1.
"""

import argparse
import hashlib
import json
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LINE = re.compile(
    rb"(\d{20}) ([0-9a-f]{64}) (\d{15}) (\d{3}) (\d{12}) (\d{6}) (\d{7}) ([ -~]{16})"
    rb" ([0-9a-f]{8})\n"
)
LINE_SIZE = 160
JOURNALED = re.compile(rb"([0-9a-f]{64}) (\d{1,8})\n")
KEY = re.compile(r"[0-9a-f]{64}")


class Archive:
    """What was found on the disks, and what is wrong with it."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.contents: dict[str, int] = {}
        self.captures: dict[tuple[str, str, str], dict[str, Any]] = {}

    def wrong(self, path: Path, words: str) -> None:
        """Take note of something wrong."""
        self.problems.append(f"{path}: {words}")

    def read(self, folder: Path) -> None:
        """Read all of a folder."""
        layout = folder / "layout"
        if not layout.is_file() or layout.read_text().strip() != "dlweb-storage 2":
            self.wrong(folder, "is no storage folder of version 2")
            return
        for path in files(folder / "contents"):
            self.read_content(path)
        for path in files(folder / "journal"):
            self.read_journal(path)
        for path in files(folder / "structures"):
            if path.suffix == ".captures":
                self.read_structure(path)
            elif path.suffix != ".heads":
                self.wrong(path, "is neither .captures nor .heads")

    def read_content(self, path: Path) -> None:
        """Hash a content."""
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
        if digest.hexdigest() != path.name:
            self.wrong(path, f"hashes to {digest.hexdigest()}")
        elif not at_home(path, path.name):
            self.wrong(path, "lies in the wrong folder")
        else:
            self.contents[path.name] = path.stat().st_size

    def read_journal(self, path: Path) -> None:
        """Read contents that have no file yet; one torn at the end is no error, as with lines."""
        journal = path.read_bytes()
        at = 0
        while line := JOURNALED.match(journal, at):
            at = line.end() + int(line[2])
            data = journal[line.end() : at]
            if hashlib.sha256(data).hexdigest().encode() == line[1]:
                self.contents[line[1].decode()] = len(data)

    def read_structure(self, path: Path) -> None:
        """Read the two files of a URL."""
        key = path.name.removesuffix(".captures")
        heads = path.with_suffix(".heads")
        if not KEY.fullmatch(key) or not at_home(path, key):
            self.wrong(path, "lies in the wrong folder, or is not named by a hash")
            return
        if not heads.is_file():
            self.wrong(path, "has no .heads beside it")
            return
        data = heads.read_bytes()
        first, _, _ = data.partition(b"\n")
        url = first.removeprefix(b"dlweb-structure 1 ")
        if url == first or hashlib.sha256(url).hexdigest() != key:
            self.wrong(heads, "does not begin with the URL that its name is the hash of")
            return
        self.read_lines(path, url.decode("utf-8", "surrogatepass"), data, len(first) + 1)

    def read_lines(self, path: Path, url: str, heads: bytes, begin: int) -> None:
        """Read the lines of a URL; one torn at the end is no error: nobody was told of it."""
        lines = path.read_bytes()
        former = b""
        for at in range(0, len(lines) - LINE_SIZE + 1, LINE_SIZE):
            line = lines[at : at + LINE_SIZE]
            match = LINE.fullmatch(line)
            if match is None:
                self.wrong(path, f"line {at // LINE_SIZE} is not one: {line[:90]!r}")
                continue
            if line[:85] <= former:
                self.wrong(path, f"line {at // LINE_SIZE} is not in order")
            former = line[:85]
            self.take(path, url, match, heads, begin)

    def take(
        self, path: Path, url: str, match: "re.Match[bytes]", heads: bytes, begin: int
    ) -> None:
        """Take a capture."""
        date, content = match[1].decode(), match[2].decode()
        offset, origin, head = int(match[5]), int(match[6]), int(match[7])
        if offset < begin or offset + origin + head > len(heads):
            self.wrong(path, f"the head of {date} is not within the heads")
        elif zlib.crc32(heads[offset : offset + origin + head], zlib.crc32(match[0][:150])) != int(
            match[9], 16
        ):
            self.wrong(path, f"the checksum of {date} is not that of its line and head")
        self.captures[url, date, content] = {
            "url": url,
            "date": date,
            "content": content,
            "size": int(match[3]),
            "status": int(match[4]),
            "origin": heads[offset : offset + origin].decode("utf-8", "replace"),
            "head": heads[offset + origin : offset + origin + head].decode("latin-1"),
            "metadata": match[8].decode().rstrip(),
        }

    def check_captures(self) -> None:
        """Make sure that every capture has its content, of the size that it says."""
        for (url, date, content), capture in self.captures.items():
            size = self.contents.get(content)
            if size is None:
                self.problems.append(f"{url} of {date}: its content {content} is in no folder")
            elif size != capture["size"]:
                self.problems.append(f"{url} of {date}: {size} bytes, not {capture['size']}")

    def check_acknowledged(self, lines: Iterator[str]) -> None:
        """Make sure that what somebody was told is recorded is there."""
        for line in lines:
            told = json.loads(line)
            if (told["url"], told["date"], told["content"]) not in self.captures:
                self.problems.append(f"{told['url']} of {told['date']}: acknowledged, and not here")


def files(folder: Path) -> Iterator[Path]:
    """Yield the files under a folder, sorted."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def at_home(path: Path, key: str) -> bool:
    """Tell whether a file lies in the folders that its key names."""
    return path.parent.name == key[2:4] and path.parent.parent.name == key[:2]


def main(arguments: list[str]) -> int:
    """Check folders; return the exit status."""
    parser = argparse.ArgumentParser(description="Checks an archive on bare disks.")
    parser.add_argument("--captures", action="store_true", help="print captures as JSON lines")
    parser.add_argument("--acknowledged", type=Path, help="JSON lines that must be there")
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    archive = Archive()
    for folder in options.folders:
        archive.read(folder)
    archive.check_captures()
    if options.acknowledged:
        with options.acknowledged.open(encoding="utf-8") as lines:
            archive.check_acknowledged(lines)
    if options.captures:
        for place in sorted(archive.captures):
            print(json.dumps(archive.captures[place]))
    for problem in archive.problems:
        print(problem, file=sys.stderr)
    print(
        f"{len(archive.captures)} captures, {len(archive.contents)} contents, "
        f"{len(archive.problems)} problems",
        file=sys.stderr,
    )
    return 1 if archive.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
