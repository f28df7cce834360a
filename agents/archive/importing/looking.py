"""What is said of files that cannot be imported, and whether any can be.

That is looked at before anything is made for them: who mistypes a folder gets no new disk.
"""

from collections.abc import Sequence

from agents.archive.importing.figures import Figures
from agents.archive.importing.finding import FoundFile
from agents.archive.importing.reading import FileFailed, FileReading
from agents.archive.importing.spool import Spool
from anet.processes import Processes


def refuse(figures: Figures, file: FoundFile, reading: FileReading, words: str) -> None:
    """Say that a file is not imported; a folder may hold what is no file of an archive."""
    if reading.look.unknown and not file.named:
        figures.files_other += 1
    else:
        figures.files_refused += 1
        figures.tell(f"{file.path}: {words}")


async def without_any(
    files: Sequence[FoundFile], processes: Processes, spool: Spool
) -> Figures | None:
    """Return what is to be said of files of which none can be imported; None if one can be.

    Args:
        files: looked at until one can be.
        processes: look.
        spool: is not written.
    """
    figures = Figures()
    for file in files:
        reading = FileReading(processes, spool, file.path)
        try:
            await reading.begin()
        except FileFailed as error:
            refuse(figures, file, reading, str(error))
        else:
            return None
    return figures
