"""Databases of both kinds: a file of SQLite, and a schema of a real PostgreSQL server."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from anet.nursery.clean import die_with_parent

Place = Path | str


class Server:
    """A PostgreSQL server of Debian's on a socket in a folder of its own; it syncs nothing."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._folder, self._numbers = folder, count()
        # It ends with us, and it refuses to run as root.
        self._how: dict[str, Any] = {
            "cwd": folder,
            "preexec_fn": partial(die_with_parent, os.getpid(), signal.SIGQUIT),
        }
        if not os.getuid():
            shutil.chown(folder, "nobody", "nogroup")
            self._how |= {"user": "nobody", "group": "nogroup", "extra_groups": ()}
        data = folder / "data"
        initdb = [programs / "initdb", "-D", data, "--no-sync", "--auth=trust"]
        initdb += ["--username=dlweb", "--locale=C.UTF-8"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, timeout=60, **self._how)
        postgres = [programs / "postgres", "-D", data, "-c", "listen_addresses=", "-c", "fsync=off"]
        postgres += ["-c", f"unix_socket_directories={folder}"]
        with (folder / "log").open("w") as log:
            self._process = subprocess.Popen(postgres, stderr=log, **self._how)
        while not self._answers():
            assert self._process.poll() is None, (folder / "log").read_text()
            time.sleep(0.02)

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError):
            self.do("SELECT 1")
            return True
        return False

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)
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
