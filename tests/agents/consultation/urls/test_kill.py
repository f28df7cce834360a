"""An index whose process is killed."""

import signal
import subprocess
import sys
from pathlib import Path

from agents.consultation.urls.tables import Tables

ADDING = """
import sys
from pathlib import Path
from agents.consultation.urls.tables import Progress, Tables
tables = Tables(Path(sys.argv[1]), str, "1")
tables.open()
for batch in range(10**6):
    urls = [f"http://example.org/{batch}/{number}" for number in range(50)]
    tables.add("node", Progress(str(batch)), urls)
    print(batch, flush=True)
"""


def test_progress_and_urls_are_one(tmp_path: Path) -> None:
    """Killed at any moment, the index has all the URLs that its progress says, and no others."""
    file = tmp_path / "urls.mdb"
    for _ in range(3):
        file.unlink(missing_ok=True)
        with subprocess.Popen(
            [sys.executable, "-c", ADDING, str(file)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for line in child.stdout:
                if int(line) == 7:
                    child.send_signal(signal.SIGKILL)
        tables = Tables(file, str, "1")
        tables.open()
        done = int(tables.progress()["node"].listed or 0) + 1
        assert done >= 8 and tables.count() == 50 * done
        assert len(tables.between(b"", b"\x7f", 10**6)) == 50 * done
        tables.close()
