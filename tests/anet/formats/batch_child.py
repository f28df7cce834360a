"""A process that writes pages into batches, to be killed: `batch_child.py FOLDER PAGES`."""

import sys
from pathlib import Path

from anet.formats.batch_writing import BatchWriter
from anet.formats.page import Page
from anet.formats.tianwang_writing import record


def main() -> None:
    """Go on after the last page that was committed; tell of each commit."""
    folder, pages = Path(sys.argv[1]), int(sys.argv[2])
    with BatchWriter(folder, limit=20_000) as writer:
        for number in range(int(writer.note or 0), pages):
            date = f"2004{1 + number * 6 // pages:02}01120000"
            page = Page(f"http://a/{number}", date, b"", b"%d " % number * 20)
            writer.add(date, record(page))
            if number % 10 == 9:
                writer.commit(str(number + 1))
                sys.stdout.write(f"{number + 1}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
