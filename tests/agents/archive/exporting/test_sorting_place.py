"""Where an export sorts what does not fit in memory."""

import sqlite3
from pathlib import Path

from agents.archive.exporting.folder import ExportFolder
from agents.archive.exporting.order import Order
from tests.agents.archive.exporting.conftest import capture


def test_an_export_sorts_beside_its_files(tmp_path: Path) -> None:
    """Not on the disk of the system, which may be small; and leaves nothing of it behind."""
    out = tmp_path / "it's out"
    folder = ExportFolder(out, Order(source=""), "20261122000000", tmp_path)
    heads = (b"%08d" % n * 150 for n in range(4000))
    found = [capture(f"http://a/{n}", "2026", b"", head=head) for n, head in enumerate(heads)]
    folder.selection.choose(found, ())
    open_files: set[str] = set()
    folder.selection._database.set_progress_handler(  # noqa: SLF001 - who else could see it
        lambda: open_files.update(links()), 5000
    )
    folder.selection.arrange()
    folder.close()
    sorted_in = [Path(name).parent for name in open_files if "etilqs" in name]
    assert sorted_in and set(sorted_in) == {out / "export.spool"}
    with sqlite3.connect(":memory:") as other:  # for the setting is the process's
        assert other.execute("PRAGMA temp_store_directory").fetchone() in (None, ("",))
    assert not (out / "export.spool").exists()


def links() -> set[str]:
    """Return what files this process has open."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(path.readlink()))
        except OSError:  # closed meanwhile
            continue
    return found
