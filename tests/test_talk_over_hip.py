"""The page on talking over HIP, walked: its programs run as printed, and say what it says."""

import re
import shlex
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_documentation import free_ports

_ROOT = Path(__file__).parent.parent
_PAGE = _ROOT / "docs" / "how-to" / "talk-over-hip.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Walk:
    """A folder with the programs of the page, whose commands are run there.

    Args:
        folder: where.
        programs: the folder of `python` and `hip`.
    """

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder = folder
        self._programs = programs
        self._children: list[subprocess.Popen[bytes]] = []
        base = free_ports(2)
        text = _PAGE.read_text("utf-8").replace("7200", str(base)).replace("7201", str(base + 1))
        blocks = _BLOCK.findall(text)
        self.shell = [block for kind, block in blocks if kind == "sh"]
        self.told = [block for kind, block in blocks if kind == "text"]
        self.python = [block for kind, block in blocks if kind == "python"]
        for program in self.python:
            (folder / program.splitlines()[0].removeprefix("# ")).write_text(program)

    def step(self, block: str) -> str:
        """Run the commands of a block, and return what they print."""
        said = ""
        for line in block.strip().splitlines():
            command = [str(self._programs / shlex.split(line)[0]), *shlex.split(line)[1:]]
            if command[-1] == "&":
                child = subprocess.Popen(command[:-1], cwd=self._folder, stderr=subprocess.PIPE)
                self._children.append(child)
                continue
            done = subprocess.run(
                command, cwd=self._folder, capture_output=True, text=True, timeout=120, check=False
            )
            assert (done.returncode, done.stderr) == (0, ""), line
            said += done.stdout
        return said

    def end(self) -> None:
        """Stop the programs that stay; none has complained, and all end well."""
        for child in self._children:
            child.terminate()
            _, error = child.communicate(timeout=120)
            assert (child.returncode, error) == (0, b"")


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    """Return a walk with what is installed for the tests."""
    walk = Walk(tmp_path, Path(sys.prefix) / "bin")
    yield walk
    walk.end()


def test_the_programs_of_the_page(walk: Walk) -> None:
    """All of it, in its order."""
    two_programs, look, callbacks = walk.shell
    first, second = walk.told
    assert walk.step(two_programs) == first
    methods, call, tree = map(walk.step, look.strip().splitlines())
    assert "add(a: int, b: int) -> int\n    Add two numbers." in methods
    assert call == "42\n"
    assert tree.startswith("calculator (calculator)  ")
    assert walk.step(callbacks) == second


def test_two_programs_take_twenty_lines(walk: Walk) -> None:
    """Without empty lines, and each in one look."""
    lines = [line for program in walk.python[:2] for line in program.splitlines() if line]
    assert len(lines) <= 20


@pytest.mark.slow
def test_the_programs_outside_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run in a clean environment where nothing but the wheel and its requirements are."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    walk = Walk(tmp_path, installed(tmp_path))
    two_programs, look, callbacks = walk.shell
    assert walk.step(two_programs) == walk.told[0]
    assert "Add two numbers." in walk.step(look)
    assert walk.step(callbacks) == walk.told[1]
    walk.end()
    where = [walk._programs / "python", "-c", "import hip; print(hip.__file__)"]
    done = subprocess.run(where, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path / "environment"))


def installed(folder: Path) -> Path:
    """Build a wheel of what is committed, install it, and return the folder of its programs."""
    source, environment = folder / "source", folder / "environment"
    subprocess.run(["git", "clone", "-q", _ROOT, source], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = ["wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = folder.glob("dlweb-*.whl")
    venv.create(environment, with_pip=False)
    (site,) = environment.glob("lib/python*/site-packages")
    # What it requires is lent by the tests' own environment; the wheel comes first on the path.
    (site / "requirements.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    into = ["--python", environment / "bin" / "python", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, *into, "--ignore-installed", wheel], check=True)
    return environment / "bin"
