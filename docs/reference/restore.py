#!/usr/bin/env python3
"""Lists and restores what bare disks of an archive hold, with no software of its makers.

    python restore.py list [PREFIX] FOLDER…             every capture of the URLs that begin so
    python restore.py get [--head] URL [DATE] FOLDER…   the bytes of a URL, after their head

A FOLDER is a disk of a storage node (`var/storage-1`). Give all that are left; some may be
missing, for each holds a part of everything. A DATE is digits, UTC, `20261121` or longer; the
newest capture that is not later is taken, and the newest of all without one. What is damaged on
one disk is taken from another; the status is 1 when something is lost. Needs Python 3.11 alone.
"""

import hashlib
import re
import sys
import zlib
from contextlib import suppress
from functools import partial
from pathlib import Path

# date, content, size, status, offset of origin and head, their lengths, metadata, checksum
LINE = re.compile(
    rb"(\d{20}) ([0-9a-f]{64}) (\d{15}) (\d{3}) (\d{12}) (\d{6}) (\d{7}) "
    rb".{16}(?: ([0-9a-f]{8})|.{9})\n"
)
LINE_SIZE = 160
COVERED = 150  # bytes of a line that its checksum covers, before origin and head
MARKS = ("layout", "contents", "structures", "journal")  # one of these is in every disk
HEADER = re.compile(rb"dlweb-structure \d+ ")
RECORD = re.compile(rb"([0-9a-f]{64}) (\d{1,8})\n")  # of a journal; the content follows it


def journals(folders):
    """Return where small contents are that a disk had no time to make into files."""
    found = {}
    for path in (path for folder in folders for path in (folder / "journal").glob("[12]")):
        with suppress(OSError):  # what one disk does not give may be on another
            data, at = path.read_bytes(), 0
            while record := RECORD.match(data, at):
                at = record.end() + int(record[2])
                key = hashlib.sha256(data[record.end() : at]).hexdigest()
                found[key] = (path, record.end(), at)  # its bytes, not its line, say what it is
    return found


def captures_in(path):
    """Yield (date, content, line, origin and head, URL) of each sound line of a `.captures` file.

    A line that is damaged, or torn at the end, is passed over; so is all of a file whose heads
    are missing or do not begin with the URL that its name is the hash of.
    """
    with suppress(OSError, AttributeError), path.with_suffix(".heads").open("rb") as heads:
        header = heads.readline(1 << 20)
        url = header[HEADER.match(header).end() : -1]
        if hashlib.sha256(url).hexdigest() == path.stem:
            lines = path.read_bytes()
            for at in range(0, len(lines) - LINE_SIZE + 1, LINE_SIZE):
                line = LINE.fullmatch(lines, at, at + LINE_SIZE)
                data = line and told_by(line, heads)
                if data:
                    yield line[1].decode(), line[2].decode(), line, data, url


def told_by(line, heads):
    """Return the origin and the head of a line, or None when they are not what it says."""
    heads.seek(int(line[5]))
    data = heads.read(int(line[6]) + int(line[7]))
    checksum = b"%08x" % zlib.crc32(data, zlib.crc32(line[0][:COVERED]))
    whole = len(data) == int(line[6]) + int(line[7])
    return data if whole and line[8] in (None, checksum) else None


def structures(folders):
    """Return the paths of the structure files of each URL, of all folders together."""
    found = {}
    for path in (path for each in folders for path in each.glob("structures/??/??/*.captures")):
        found.setdefault(path.stem, []).append(path)
    return [found[key] for key in sorted(found)]


def captures(paths):
    """Return the captures of one URL, oldest first: the union of its copies."""
    found = {(date, key): rest for path in paths for date, key, *rest in captures_in(path)}
    return sorted(found.items())


def pieces(folders, key):
    """Return an iterable of the bytes of an undamaged copy of a content, or None."""
    for folder in folders:
        path = folder / "contents" / key[:2] / key[2:4] / key
        with suppress(OSError):
            if path.is_file() and hashlib.file_digest(path.open("rb"), "sha256").hexdigest() == key:
                return iter(partial(path.open("rb").read, 1 << 20), b"")
    path, begin, end = journals(folders).get(key, (None, 0, 0))
    return path and [path.read_bytes()[begin:end]]


def show(prefix, folders):
    """Print a line for each capture: date, status, size, content, URL."""
    lost, journal = 0, journals(folders)
    for paths in structures(folders):
        for (date, key), (line, _, url) in captures(paths):
            if not url.startswith(prefix.encode()):
                break
            files = (f / "contents" / key[:2] / key[2:4] / key for f in folders)
            here = key in journal or any(file.is_file() for file in files)
            lost += not here
            words = url.decode("utf-8", "replace") + ("" if here else "  LOST: on no disk here")
            print(f"{date}  {line[4].decode()}  {int(line[3]):>10}  {key}  {words}")
    return 1 if lost else 0


def get(url, date, folders, with_head):
    """Write the bytes of a URL at a date to standard output."""
    key = hashlib.sha256(url.encode("utf-8", "surrogateescape")).hexdigest()
    names = (f / "structures" / key[:2] / key[2:4] / f"{key}.captures" for f in folders)
    found = [each for each in captures(names) if each[0][0] <= date.ljust(20, "9")]
    for (when, name), (line, data, _) in reversed(found):
        body = pieces(folders, name)
        if body is None:
            print(f"the content {name} of {when} is lost; trying an older one", file=sys.stderr)
            continue
        if with_head:
            sys.stdout.buffer.write(data[int(line[6]) :])
        sys.stdout.buffer.writelines(body)
        return 0
    print(f"{url} is not on these disks{' at that date' if date else ''}", file=sys.stderr)
    return 1


def main(arguments):
    """Do what the command line asks; return the exit status."""
    words = [each for each in arguments if each != "--head"]
    paths = [Path(each) for each in words[1:] if Path(each).exists()]
    folders = [path for path in paths if any((path / name).exists() for name in MARKS)]
    asked = [each for each in words if Path(each) not in paths]
    for path in (each for each in paths if each not in folders):
        print(f"{path} is no disk of an archive: is it mounted?", file=sys.stderr)
    if folders and asked[:1] == ["list"] and len(asked) <= 2:
        return show("".join(asked[1:]), folders)
    if folders and asked[:1] == ["get"] and len(asked) in (2, 3):
        return get(asked[1], "".join(asked[2:]), folders, "--head" in arguments)
    why = f"There is no folder {asked[-1]}." if folders and len(asked) > 2 else "Name a disk."
    print(__doc__, why, sep="\n", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
