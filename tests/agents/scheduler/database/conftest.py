"""Databases of both kinds: a file of SQLite, and a schema of a real PostgreSQL server."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

Place = Path | str


class Server:
    """A PostgreSQL server of Debian's on a socket in a folder of its own; it syncs nothing."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._numbers = count()
        # The server refuses to run as root.
        self._who = {"user": "nobody", "group": "nogroup", "extra_groups": ()}
        if os.getuid():
            self._who = {}
        else:
            shutil.chown(folder, "nobody", "nogroup")
        self._run("initdb", "--no-sync", "--auth=trust", "--username=dlweb", "--locale=C.UTF-8")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        self._run("pg_ctl", "--wait", f"--log={folder}/log", "-o", options, "start")

    def _run(self, program: str, *arguments: str) -> None:
        command = [self._programs / program, "-D", self._folder / "data", *arguments]
        subprocess.run(
            command,
            check=True,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            timeout=60,
            **self._who,
        )

    def stop(self) -> None:
        """End it at once, and remove what it kept."""
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        self._run("pg_ctl", "--mode=immediate", "--no-wait", "stop")
        while _is_alive(pid):
            time.sleep(0.01)
        shutil.rmtree(self._folder)

    def url(self, schema: str = "public") -> str:
        """Return what names a schema of it."""
        folder, path = quote(str(self._folder), safe=""), quote(f"-csearch_path={schema}")
        return f"postgresql://dlweb@/postgres?host={folder}&options={path}"

    def fresh(self) -> str:
        """Return what names a new, empty schema."""
        name = f"test{next(self._numbers)}"
        self.do(f"CREATE SCHEMA {name}")
        return self.url(name)

    def do(self, sql: str) -> None:
        """Run a statement beside whoever else is connected."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.encode())

    def cut_all(self) -> None:
        """End all sessions, as a restart of the server does."""
        self.do(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


def _is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody waits for does not."""
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A server for all tests."""
    programs = _programs()
    if programs is None:
        pytest.skip("needs Debian's package postgresql")
    folder = Path(tempfile.mkdtemp(prefix="dlweb-postgresql-"))
    server = Server(programs, folder)
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def new_place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Place]:
    """Makes places for new databases, of each kind."""
    if request.param == "sqlite":
        return lambda: tmp_path_factory.mktemp("scheduler") / "scheduler.sqlite"
    fresh: Callable[[], Place] = request.getfixturevalue("postgresql").fresh
    return fresh


@pytest.fixture
def place(new_place: Callable[[], Place]) -> Place:
    """Where a new database may be, of each kind."""
    return new_place()
